"""Copy, read and write the numbers of one env in a field, by how many axes the field has.

A number's place is counted through all axes after the env's, the last one fastest.
"""

import numpy as np

from mesocosm.sim.rule import rule


@rule
def nearest_whole(value: float) -> int:
    """Give the whole number nearest to one that is not negative, the greater of two."""
    return int(value + 0.5)


@rule
def copy_scalar(source: np.ndarray, target: np.ndarray, e: int) -> None:
    """Copy one env of a field without further axes."""
    target[e] = source[e]


@rule
def copy_row(source: np.ndarray, target: np.ndarray, e: int) -> None:
    """Copy one env of a field with one further axis."""
    for i in range(source.shape[1]):
        target[e, i] = source[e, i]


@rule
def copy_table(source: np.ndarray, target: np.ndarray, e: int) -> None:
    """Copy one env of a field with two further axes."""
    for i in range(source.shape[1]):
        for j in range(source.shape[2]):
            target[e, i, j] = source[e, i, j]


@rule
def copy_cube(source: np.ndarray, target: np.ndarray, e: int) -> None:
    """Copy one env of a field with three further axes."""
    for i in range(source.shape[1]):
        for j in range(source.shape[2]):
            for n in range(source.shape[3]):
                target[e, i, j, n] = source[e, i, j, n]


@rule
def read_scalar(source: np.ndarray, e: int, at: int) -> float:
    """Read the number of an env."""
    return source[e]


@rule
def read_row(source: np.ndarray, e: int, at: int) -> float:
    """Read a number of an env that has a row of them."""
    return source[e, at]


@rule
def read_table(source: np.ndarray, e: int, at: int) -> float:
    """Read a number of an env that has a table of them."""
    return source[e, at // source.shape[2], at % source.shape[2]]


@rule
def read_cube(source: np.ndarray, e: int, at: int) -> float:
    """Read a number of an env that has a cube of them."""
    row = at // source.shape[3]
    return source[e, row // source.shape[2], row % source.shape[2], at % source.shape[3]]


@rule
def write_scalar(target: np.ndarray, e: int, at: int, value: float) -> None:
    """Write the number of an env."""
    target[e] = value


@rule
def write_row(target: np.ndarray, e: int, at: int, value: float) -> None:
    """Write a number of an env that has a row of them."""
    target[e, at] = value


@rule
def write_table(target: np.ndarray, e: int, at: int, value: float) -> None:
    """Write a number of an env that has a table of them."""
    target[e, at // target.shape[2], at % target.shape[2]] = value


@rule
def write_cube(target: np.ndarray, e: int, at: int, value: float) -> None:
    """Write a number of an env that has a cube of them."""
    row = at // target.shape[3]
    target[e, row // target.shape[2], row % target.shape[2], at % target.shape[3]] = value
