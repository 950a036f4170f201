"""Programs that do wrong with time, processes, memory and files: `python wrong_deeds.py NAME`."""

import ctypes
import mmap
import os
import resource
import signal
import socket
import sys
import threading
import time

try:  # a script finds what lies beside it
    from protocol import Registry
except ImportError:
    from benchmarks.hostile.protocol import Registry

hostile = Registry()


@hostile("no answer within")
def sleeps_at_the_start(line):
    time.sleep(60)


@hostile("exited with status 3")
def exits_at_once(line):
    os._exit(3)


@hostile("exited with status 0")
def exits_at_its_second_move(line):
    line.start()
    line.read()
    line.write(line.action())
    line.read()
    os._exit(0)


@hostile("was ended by SIGSEGV")
def crashes(line):
    line.start()
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(60)


@hostile("no answer within")
def stops_itself(line):
    line.start()
    os.kill(os.getpid(), signal.SIGSTOP)


@hostile("no answer within")
def ignores_signals(line):
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    line.start()
    while True:
        time.sleep(60)


@hostile("no answer within")
def burns_time(line):
    line.start()
    while True:
        pass


@hostile("exited with status 5")
def leaves_a_child_that_holds_its_output(line):
    line.start()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(5)


@hostile("")
def leaves_daemons(line):
    line.start()
    for _ in range(5):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in range(3):
                    os.close(number)
                os.environ.clear()
                time.sleep(600)
            os._exit(0)
        os.wait()
    line.play()


@hostile("processes|no answer within")
def bombs_with_forks(line):
    line.start()
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.001)


@hostile("processes|Resource temporarily unavailable")
def starts_many_patient_children(line):
    line.start()
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(600)
    line.play()


@hostile("")
def leaves_zombies(line):
    line.start()
    for _ in range(30):
        if os.fork() == 0:
            os._exit(0)
    line.play()


@hostile("MemoryError")
def eats_memory_at_once(line):
    line.start()
    try:
        bytearray(64 << 30)
    except MemoryError as error:
        sys.exit(f"MemoryError{error}")
    line.play()


@hostile("of memory, allowed are")
def eats_memory_in_many_children(line):
    line.start()
    for _ in range(12):
        if os.fork() == 0:
            held = bytearray(b"x" * (40 << 20))
            time.sleep(600 + len(held))
    line.read()
    time.sleep(60)


@hostile("Too many open files")
def opens_many_files(line):
    line.start()
    kept = [os.open(os.devnull, os.O_RDONLY) for _ in range(100_000)]
    line.write(str(len(kept)))


@hostile("can't start new thread|threads or processes")
def starts_many_threads(line):
    line.start()
    threading.stack_size(65536)
    for _ in range(100_000):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


@hostile("No space left|SIGXFSZ|File too large")
def fills_the_disk(line):
    line.start()
    for number in range(100_000):
        with open(f"{number}.bin", "wb") as file:
            file.write(b"x" * (1 << 20))


@hostile("Function not implemented|of memory, allowed are")
def keeps_memory_in_unmapped_files(line):
    line.start()
    for number in range(64):
        held = os.memfd_create(str(number))
        for _ in range(15):
            os.write(held, bytes(1 << 20))
    line.play()


@hostile("Function not implemented|of memory, allowed are")
def keeps_detached_shared_memory(line):
    line.start()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    libc.shmdt.argtypes = [ctypes.c_void_p]
    for _ in range(64):
        number = libc.shmget(0, 15 << 20, 0o1600)
        if number < 0:
            sys.exit(os.strerror(ctypes.get_errno()))
        place = libc.shmat(number, None, 0)
        ctypes.memset(place, 1, 15 << 20)
        libc.shmdt(place)
    line.play()


@hostile("Function not implemented|of memory, allowed are")
def forgets_shared_memory_that_it_keeps(line):
    line.start()
    kept = []
    for _ in range(64):
        kept.append(mmap.mmap(-1, 15 << 20))
        kept[-1].write(bytes(15 << 20))
        kept[-1].madvise(mmap.MADV_DONTNEED)  # its pages stay, but no longer count as its own
    line.play()


@hostile("No such device")
def maps_zeros_as_shared_memory(line):
    line.start()
    with open("/dev/zero", "r+b") as file:
        mmap.mmap(file.fileno(), 15 << 20)
    line.play()


@hostile("No space left on device")
def makes_a_million_files(line):
    line.start()
    for number in range(1_000_000):
        os.close(os.open(f"{number}", os.O_CREAT | os.O_WRONLY))


@hostile("|its keeper")
def kills_its_parents(line):
    line.start()
    alone = os.getpid() < 100  # in a namespace of its own: elsewhere 1 would be everyone's
    for pid in {os.getppid(), 1} if alone else {os.getppid()}:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(pid, number)
            except OSError:
                continue
    line.play()


@hostile("was ended by SIGKILL")
def kills_everyone(line):
    line.start()
    if os.getpid() < 100:  # in a namespace of its own: elsewhere that would be everyone
        os.fork()
        os.kill(-1, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


@hostile("")
def raises_its_own_limits(line):
    line.start()
    for name in ("RLIMIT_NPROC", "RLIMIT_DATA", "RLIMIT_NOFILE", "RLIMIT_FSIZE"):
        try:
            resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY,) * 2)
        except (OSError, ValueError):
            continue
        sys.exit(f"{name} was raised")
    line.play()


@hostile("")
def leaves_a_locked_folder(line):
    line.start()
    os.makedirs("a/b/c")
    os.symlink("/", "a/b/host")
    os.chmod("a/b", 0)
    os.chmod("a", 0)
    line.play()


@hostile("")
def calls_home(line):
    line.start()
    for address in (("1.1.1.1", 53), ("127.0.0.1", 22)):
        try:
            socket.create_connection(address, 0.2)
        except OSError:
            continue
        sys.exit(f"{address} was reached")
    line.play()


@hostile("")
def looks_for_recordings(line):
    for home, folders, names in os.walk("/", onerror=None):
        folders[:] = set(folders) - {"proc", "usr", "sys", "lib", "share", "include"}
        if {"replay.meso", "run.json"} & set(names):
            sys.exit(f"{home} was found")
    line.start()
    line.play()


if __name__ == "__main__":
    hostile.run()
