"""Refuse system calls that keep memory where no limit counts it, by a filter of the kernel."""

import ctypes
import os
import struct
import sys
from typing import NamedTuple

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, AND, RETURN = 0x20, 0x54, 0x06  # instructions of BPF
IF_EQUAL, IF_AT_LEAST = 0x15, 0x35
NUMBER_AT, ARCHITECTURE_AT, FLAGS_AT = 0, 4, 40  # in what the kernel shows to a filter
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 38  # as a call that does not exist (ENOSYS)
X32 = 0x40000000  # from here on, x86-64's calls once more under other numbers
SHARED_AND_ANONYMOUS = 0x21  # flags of mmap


class Calls(NamedTuple):
    """The numbers of an architecture's system calls.

    Args:
        refused: memfd_create, memfd_secret, shmget, msgget, semget, vmsplice, io_uring_setup; and
            older calls that are several in one: ipc, and mmap with its flags in memory.
        mmap: Refused if the memory is shared and of no file.
    """

    architecture: int
    refused: tuple[int, ...]
    mmap: int


MACHINES = {  # each with its 32-bit programs
    "x86_64": (
        Calls(0xC000003E, (319, 447, 29, 68, 64, 278, 425), mmap=9),
        Calls(0x40000003, (356, 447, 395, 399, 393, 316, 425, 117, 90), mmap=192),
    ),
    "aarch64": (
        Calls(0xC00000B7, (279, 447, 194, 186, 190, 75, 425), mmap=222),
        Calls(0x40000028, (385, 447, 307, 303, 299, 343, 425, 117, 90), mmap=192),
    ),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def assemble(machine: tuple[Calls, ...]) -> bytes:
    """Write the filter; calls of any other architecture are refused altogether."""
    code = [(LOAD, 0, 0, ARCHITECTURE_AT)]
    for calls in machine:
        checks = [(IF_AT_LEAST, X32), *((IF_EQUAL, number) for number in calls.refused)]
        rest = [
            (IF_EQUAL, 0, 3, calls.mmap),  # what is no mmap is allowed
            (LOAD, 0, 0, FLAGS_AT),
            (AND, 0, 0, SHARED_AND_ANONYMOUS),
            (IF_EQUAL, 1, 0, SHARED_AND_ANONYMOUS),
            (RETURN, 0, 0, ALLOW),
            (RETURN, 0, 0, REFUSE),
        ]
        past = len(checks) + len(rest) - 2  # from the first check to the refusal
        block = [(LOAD, 0, 0, NUMBER_AT)]
        block += [(kind, past - k, 0, value) for k, (kind, value) in enumerate(checks)]
        code += [(IF_EQUAL, 0, len(block) + len(rest), calls.architecture), *block, *rest]
    code.append((RETURN, 0, 0, REFUSE))
    return b"".join(struct.pack("HBBI", *line) for line in code)


def refuse_uncounted_memory() -> bool:
    """Refuse such calls to this process and all that it starts; whether that was possible."""
    machine = MACHINES.get(os.uname().machine) if sys.platform == "linux" else None
    if machine is None:
        return False
    code = assemble(machine)
    program = _Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)
