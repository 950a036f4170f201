"""Write a network and its card as one file, and read it back from anyone's hands."""

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from torch import Tensor

from mesocosm.core.errors import BundleError
from mesocosm.core.path import check_path
from mesocosm.core.spec import Role
from mesocosm.learning.bundles.archive import CARD, WEIGHTS, pack, read_bytes, sha256, unpack
from mesocosm.learning.bundles.blank import TooLargeError, make_blank_network
from mesocosm.learning.bundles.card import Card, parse_card
from mesocosm.learning.bundles.tensors import dump_tensors, load_tensors
from mesocosm.learning.networks.network import Network

SUFFIX = ".mesop"
ROOM = 16 << 20  # bytes for what a network holds beside its weights


@dataclass(frozen=True)
class Bundle:
    """A policy that was read from a file, checked in full."""

    path: Path
    sha256: str
    num_bytes: int
    card: Card
    weights: dict[str, Tensor]

    @cached_property
    def role(self) -> Role:
        """The role that it learnt to play."""
        return self.card.make_role()

    @property
    def num_weights(self) -> int:
        return sum(tensor.numel() for tensor in self.weights.values())

    def make_network(self, role: Role | None = None) -> Network:
        """Make its network, ready to act.

        Args:
            role: One of equal sizes, if another should give scales and masks.
        """
        network = make_blank_network(self.card, role or self.role, most=self.num_bytes + ROOM)
        network.load_state_dict(self.weights, strict=False)  # `read_bundle` compared the names
        return network.eval()


def named_weights(network: Network) -> dict[str, Tensor]:
    """Give what a network learnt, by name; what two parts share is there once."""
    made: dict[str, Tensor] = dict(network.named_parameters())
    known = {name for name, _ in network.named_parameters(remove_duplicate=False)}
    rest = {name: value for name, value in network.state_dict().items() if name not in known}
    return made | rest


def pack_bundle(network: Network, card: Card) -> bytes:
    """Make the bytes of a bundle; equal networks and cards give equal bytes."""
    weights = named_weights(network)
    for name, tensor in weights.items():
        if not bool(tensor.isfinite().all()):
            raise BundleError(f"{name}: holds NaN or infinity; such a policy is not written")
    raw = dump_tensors(weights)
    done = card.model_copy(update={"weights_sha256": sha256(raw)})
    return pack({CARD: done.dump(), WEIGHTS: raw})


def write_bundle(path: str | os.PathLike[str], network: Network, card: Card) -> str:
    """Write a bundle, whole or not at all, and give its sha256."""
    target, data = check_path(path, BundleError), pack_bundle(network, card)
    if target.suffix != SUFFIX:
        raise BundleError(f"{target}: the name of a bundle must end in {SUFFIX}")
    read_from(data, target)  # whoever gets the file will be as strict
    write_whole(target, data)
    return sha256(data)


def write_whole(target: Path, data: bytes) -> None:
    """Write under a temporary name, then rename: a reader sees the old file or the new one."""
    name = ""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, target)
    except OSError as error:
        raise BundleError(f"{target}: cannot be written: {error.strerror or error}") from None
    finally:
        if name:
            with suppress(OSError):
                os.unlink(name)  # is gone if all went well


def read_bundle(path: str | os.PathLike[str]) -> Bundle:
    """Read a bundle that anyone may have made; whatever is wrong with it is one error."""
    return read_from(read_bytes(path), check_path(path, BundleError))


def read_from(data: bytes, path: Path) -> Bundle:
    """Read a bundle from its bytes."""
    members = unpack(data, path)
    card = parse_card(members[CARD], f"{path}: {CARD}")
    found = sha256(members[WEIGHTS])
    if found != card.weights_sha256:
        raise BundleError(
            f"{path}: {WEIGHTS}: are not those that the card names: sha256 must be "
            f"{card.weights_sha256[:12]}..., got {found[:12]}..."
        )
    where = f"{path}: {WEIGHTS}"
    try:
        blank = make_blank_network(card, card.make_role(), most=len(members[WEIGHTS]) + ROOM)
    except TooLargeError:
        raise BundleError(f"{where}: are fewer than the card's network has") from None
    shapes = {name: tuple(tensor.shape) for name, tensor in named_weights(blank).items()}
    weights = load_tensors(members[WEIGHTS], shapes, where)
    return Bundle(path, sha256(data), len(data), card, weights)
