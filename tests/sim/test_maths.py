"""Our own functions: near the library's, and the same bits compiled as in plain Python."""

import math

import numpy as np
import pytest

from mesocosm.sim import maths
from mesocosm.sim.rule import rule
from mesocosm.sim.targets.launch import launch

ANGLES = [*np.linspace(-7.0, 7.0, 401), *np.linspace(-4000.0, 4000.0, 301), 0.0, -0.0]


@rule
def fill_table(out: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """Call every function for each pair of numbers."""
    for k in range(x.shape[0]):
        out[k, 0] = maths.sine(x[k])
        out[k, 1] = maths.cosine(x[k])
        out[k, 2] = maths.arctangent(y[k], x[k])
        out[k, 3] = maths.exponential(x[k] / 10.0)


@pytest.mark.parametrize("x", ANGLES[:401:20] + ANGLES[401::30])
def test_sine_and_cosine_are_the_librarys_to_the_last_digits(x):
    assert maths.sine(float(x)) == pytest.approx(math.sin(x), abs=2e-13)
    assert maths.cosine(float(x)) == pytest.approx(math.cos(x), abs=1e-12)


def test_arctangent_covers_all_quadrants_and_the_axes():
    for y in (-3.0, -1.0, -0.2, -0.0, 0.0, 1e-9, 0.7, 5.0):
        for x in (-4.0, -1.0, -1e-12, 0.0, 0.3, 1.0, 8.0):
            if x == 0.0 and y == 0.0:
                assert maths.arctangent(y, x) == 0.0
            elif not (y == 0.0 and x < 0.0):
                assert maths.arctangent(y, x) == pytest.approx(math.atan2(y, x), abs=1e-15)
    assert maths.arctangent(0.0, -1.0) == pytest.approx(math.pi)


def test_exponential_is_the_librarys_to_a_few_units_in_the_last_place():
    for x in (-800.0, -745.1, -700.0, -3.3, -1e-9, 0.0, 0.5, 1.0, 20.0, 709.0):
        assert maths.exponential(x) == pytest.approx(math.exp(x), rel=1e-14, abs=1e-320)
    assert maths.exponential(710.0) == math.inf


def test_compiled_functions_give_the_same_bits_as_plain_python():
    rng = np.random.default_rng(0)
    x, y = np.array([*ANGLES, *rng.normal(0, 50, 500)]), rng.normal(0, 3, len(ANGLES) + 500)
    plain, compiled = np.zeros((len(x), 4)), np.zeros((len(x), 4))
    launch(fill_table, "python")(plain, x, y)
    launch(fill_table, "cpu")(compiled, x, y)
    assert plain.tobytes() == compiled.tobytes()
