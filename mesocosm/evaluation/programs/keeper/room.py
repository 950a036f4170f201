"""A closed room of Linux namespaces: of the host it shows what is listed, and that to read only."""

import ctypes
import os
import struct
import sys
from pathlib import Path
from typing import Any

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
NAMESPACES = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 4096, 16384, 1 << 18
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
LAST_CAPABILITY = 63
SYS_MOUNT_SETATTR = 442  # the same on every architecture
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 1, 2
SIGKILL = 9

INSIDE_ID = 1000  # the user and group that a program is, in its room
OUTSIDE_ID = 65534  # who that is outside, when the match is played by root
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt/lib")
LINKER = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")
SETTINGS = (*LINKER, "localtime", "passwd", "group", "nsswitch.conf")
DEVICES = {name: name for name in ("null", "full", "random", "urandom")}
DEVICES["zero"] = "full"  # reads the same, and gives no memory that belongs to no process
SHARED_MEMORY = "/dev/shm"  # noqa: S108 (of the room)
FOLDER_BYTES, FOLDERS = 1 << 20, 1 << 14  # of what holds the places where things are put

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _call(name: str, *arguments: Any) -> None:
    """Call the C library; raise OSError with what it says."""
    if _libc is None:
        raise OSError(f"{name}: this system has no such call")
    if getattr(_libc, name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parents end."""
    if _libc is not None:
        _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """End when the keeper does, and let nobody look inside."""
    _call("prctl", PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    _call("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)


def enter_namespaces(*, drop: bool) -> None:
    """Leave the host's users, processes and network; the next child is in all of them.

    The host's files are left by `build` alone, so that the keeper can remove the program's folder.

    Args:
        drop: Whether this is root, and the program shall be nobody outside too.
    """
    pid, user, group = os.getpid(), os.getuid(), os.getgid()
    if not drop:
        _call("unshare", NAMESPACES)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{INSIDE_ID} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{INSIDE_ID} {group} 1")
        return
    entered, done = os.pipe(), os.pipe()
    helper = os.fork()
    if helper == 0:  # stays outside, where it may name any user
        os.read(entered[0], 1)
        lines = f"0 0 1\n{INSIDE_ID} {OUTSIDE_ID} 1\n"
        try:
            Path(f"/proc/{pid}/uid_map").write_text(lines)
            Path(f"/proc/{pid}/gid_map").write_text(lines)
            os.write(done[1], b"x")
        finally:
            os._exit(0)
    os.close(done[1])
    _call("unshare", NAMESPACES)
    os.write(entered[1], b"x")
    mapped = os.read(done[0], 1)
    os.waitpid(helper, 0)
    for handle in (*entered, done[0]):
        os.close(handle)
    if not mapped:
        raise OSError("the ids of users could not be mapped")


def _mount(source: str, target: str, kind: str | None, flags: int, data: str = "") -> None:
    texts = [text.encode() if text else None for text in (source, target, kind or "")]
    _call("mount", *texts, ctypes.c_ulong(flags), data.encode() or None)


def _bind(source: str, target: str, *, writable: bool = False) -> None:
    """Show something of the host in the room."""
    if Path(source).is_dir():
        Path(target).mkdir(parents=True, exist_ok=True)
    else:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).touch()
    _mount(source, target, None, MS_BIND | MS_REC)
    if not writable:
        attributes = struct.pack("QQQQ", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0, 0, 0)
        _call(
            "syscall", ctypes.c_long(SYS_MOUNT_SETATTR), ctypes.c_int(AT_FDCWD), target.encode(),
            ctypes.c_uint(AT_RECURSIVE), attributes, ctypes.c_size_t(len(attributes)),
        )  # fmt: skip


def _tmpfs(target: str, size: int, mode: str, files: int = FOLDERS) -> None:
    Path(target).mkdir(parents=True, exist_ok=True)
    data = f"size={size},mode={mode},nr_inodes={files}"
    _mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, data)


def _show(root: str, paths: list[str]) -> None:
    """Show paths of the host where they are there; what lies inside a shown one is shown."""
    shown: list[str] = []
    every = {place for path in paths for place in (path, os.path.realpath(path))}
    for path in sorted(every, key=len):
        covered = any(path == one or path.startswith(one + "/") for one in shown)
        if not covered and os.path.exists(path):
            _bind(os.path.realpath(path), root + path)
            shown.append(path)


def build(plan: dict[str, Any]) -> None:
    """Make the files of the room, and go in: call it as the first process of a pid namespace."""
    root, limits = plan["root"], plan["limits"]
    _call("unshare", CLONE_NEWNS)
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    _tmpfs(root, FOLDER_BYTES, "755")
    for path in SYSTEM:
        if os.path.islink(path):
            os.symlink(os.readlink(path), root + path)
    system = [path for path in SYSTEM if not os.path.islink(path)]
    _show(root, [*system, *(f"/etc/{name}" for name in SETTINGS), *plan["readable"]])
    for name, shown in DEVICES.items():
        _bind(f"/dev/{shown}", f"{root}/dev/{name}", writable=True)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"{root}/dev/{name}")
    os.symlink("/proc/self/fd", f"{root}/dev/fd")
    for path in plan["hidden"]:
        if os.path.isdir(root + path):
            _tmpfs(root + path, 0, "700")
    for path in writable(plan):
        _tmpfs(root + path, limits["file_bytes"], "1777", limits["files"])
    Path(f"{root}/proc").mkdir()
    _mount("proc", f"{root}/proc", "proc", MS_NOSUID | MS_NODEV)
    _enter(root)
    _forbid_namespaces()


def writable(plan: dict[str, Any]) -> list[str]:
    """Name what a program can write to; all of it is in memory."""
    return [SHARED_MEMORY, plan["folder"]]


def _enter(root: str) -> None:
    """Make `root` the whole file system, itself unchangeable."""
    os.mkdir(f"{root}/.host")
    _call("pivot_root", root.encode(), f"{root}/.host".encode())
    os.chdir("/")
    _call("umount2", b"/.host", MNT_DETACH)
    os.rmdir("/.host")
    attributes = struct.pack("QQQQ", MOUNT_ATTR_RDONLY, 0, 0, 0)
    _call(
        "syscall", ctypes.c_long(SYS_MOUNT_SETATTR), ctypes.c_int(AT_FDCWD), b"/",
        ctypes.c_uint(0), attributes, ctypes.c_size_t(len(attributes)),
    )  # fmt: skip


def _forbid_namespaces() -> None:
    """Let nobody in here make rooms of his own, in which he would have rights again."""
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


def give_up_rights(drop: bool) -> None:
    """Become an ordinary user of the room for good."""
    if drop:
        os.setgroups([])
        os.setresgid(INSIDE_ID, INSIDE_ID, INSIDE_ID)
        os.setresuid(INSIDE_ID, INSIDE_ID, INSIDE_ID)
    elif _libc is not None:
        for capability in range(LAST_CAPABILITY + 1):
            _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
