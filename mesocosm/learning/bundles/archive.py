"""The zip of a bundle: two stored members and nothing else, so equal content is equal bytes."""

import hashlib
import os
import struct
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

from mesocosm.core.errors import BundleError, cut_text, short
from mesocosm.core.path import check_path, open_regular_file

CARD, WEIGHTS = "card.json", "weights.safetensors"
MEMBERS = (CARD, WEIGHTS)
MAX_FILE = 256 << 20  # bytes of a bundle
MAX_MEMBER = {CARD: 8 << 20, WEIGHTS: MAX_FILE}
FIRST_BYTES = b"PK\x03\x04"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can tell
ENCRYPTED = 0x1
# whatever a damaged or hostile zip makes the standard library raise
DAMAGE = (
    zipfile.BadZipFile,
    ValueError,
    RuntimeError,
    OSError,
    EOFError,
    LookupError,
    ArithmeticError,
    struct.error,
    zlib.error,
)


def pack(members: dict[str, bytes]) -> bytes:
    """Make the one zip that holds these members."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
        for name in MEMBERS:
            info = zipfile.ZipInfo(name, EPOCH)
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, members[name])
    return made.getvalue()


def read_bytes(given: str | os.PathLike[str]) -> bytes:
    """Read a whole bundle file, if it is one that can be read at once."""
    path = check_path(given, BundleError)
    try:
        with open_regular_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_FILE:
                raise BundleError(f"{path}: must be at most {MAX_FILE:,} bytes, got {size:,}")
            return file.read(MAX_FILE + 1)
    except OSError as error:
        raise BundleError(f"{path}: cannot be read: {error.strerror or error}") from None


def unpack(data: bytes, where: Path | str) -> dict[str, bytes]:
    """Give the members of a bundle; refuse whatever `pack` would not have made.

    Nothing is ever decompressed or written to a path that the file names.
    """
    if len(data) > MAX_FILE:
        raise BundleError(f"{where}: must be at most {MAX_FILE:,} bytes, got {len(data):,}")
    if not data.startswith(FIRST_BYTES):
        got = short(data[:8]) if data else "an empty file"
        raise BundleError(f"{where}: no bundle: it must begin as a zip does, got {got}")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            _check_members(archive.infolist(), where)
            members = {name: archive.read(name) for name in MEMBERS}
    except DAMAGE as error:
        if isinstance(error, BundleError):
            raise
        raise BundleError(f"{where}: damaged: {cut_text(str(error) or repr(error))}") from None
    if pack(members) != data:
        raise BundleError(
            f"{where}: holds more than its members {' and '.join(MEMBERS)}, or was packed by "
            f"another program; only files that Mesocosm wrote are read"
        )
    return members


def _check_members(found: list[zipfile.ZipInfo], where: Path | str) -> None:
    """Refuse other members than the two, and any that claims to be more than it is."""
    names = [info.filename for info in found]
    if sorted(names) != sorted(MEMBERS):
        got = cut_text(", ".join(map(short, names[:4]))) or "none"
        raise BundleError(f"{where}: must hold {' and '.join(MEMBERS)} alone, got {got}")
    for info in found:
        name, size = f"{where}: {info.filename}", info.file_size
        if info.flag_bits & ENCRYPTED:
            raise BundleError(f"{name}: must not be encrypted")
        if info.compress_type != zipfile.ZIP_STORED or info.compress_size != size:
            raise BundleError(
                f"{name}: must be stored as it is, got {info.compress_size:,} bytes that claim to "
                f"become {size:,}"
            )
        if size > MAX_MEMBER[info.filename]:
            most = MAX_MEMBER[info.filename]
            raise BundleError(f"{name}: must be at most {most:,} bytes, got {size:,}")


def sha256(data: bytes) -> str:
    """Name bytes by their content."""
    return hashlib.sha256(data).hexdigest()
