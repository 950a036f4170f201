"""A logarithm that rounds to the same 24 bits as the C library's, by its figures."""

import numpy as np

from mesocosm.sim.rule import rule

# of the middle of sixteen intervals, about: the inverse, and the logarithm
POINTS = (
    (1.398907162146528, -0.33569133332882284),
    (1.3403141896637998, -0.2929040563774074),
    (1.286432210124115, -0.2518726580937369),
    (1.2367150214269895, -0.21245868807117255),
    (1.1906977166711752, -0.17453945183745634),
    (1.1479821020556429, -0.1380057072319758),
    (1.1082251448272158, -0.10275976698545139),
    (1.0711297413057381, -0.06871392447020525),
    (1.036437278977283, -0.0357891387398228),
    (1.0, 0.0),
    (0.9492859795739057, 0.05204517742929496),
    (0.8951049428609004, 0.11081431298787942),
    (0.8476821620351103, 0.1652495223695143),
    (0.8050314851692001, 0.21687389031699977),
    (0.7664671008843108, 0.2659635028121397),
    (0.731428603316328, 0.3127556664073557),
)
CUBE, SQUARE, LINE = -0.25089342214237154, 0.333456765744066, -0.4999997485802103
LN_2 = 0.6931471805599453
BOTTOM = 0.69921875  # numbers are brought between this and twice this
LEAST = -103.27892990343185  # of the smallest positive number in 32 bits


def log_table() -> np.ndarray:  # float64 [16, 2]
    """Return the table that `logarithm` reads."""
    return np.array(POINTS, np.float64)


@rule
def logarithm(x: float, table: np.ndarray) -> float:
    """Natural logarithm of a number of 24 bits; not yet rounded to so many itself.

    What has no logarithm counts as the smallest number that has one.
    """
    if x <= 0.0:
        return LEAST
    twos = 0.0
    while x >= 2.0 * BOTTOM:
        x *= 0.5
        twos += 1.0
    while x < BOTTOM:
        x *= 2.0
        twos -= 1.0
    if x == 1.0:
        return twos * LN_2
    at = (x - BOTTOM) * 32.0 if x < 1.0 else 9.625 + (x - 1.0) * 16.0
    i = min(int(at), 15)
    near = x * table[i, 0] - 1.0
    square = near * near
    y = SQUARE * near + LINE
    y = CUBE * square + y
    return y * square + ((table[i, 1] + twos * LN_2) + near)
