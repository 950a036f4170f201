"""Arithmetic that gives the same bits on every target: comparisons and our own polynomials."""

import math

from mesocosm.sim.rule import rule

TWO_OVER_PI = 0.6366197723675814
HALF_PI = 1.5707963267948966
HALF_PI_HIGH = 1.5707963267341256  # the leading bits, so that products with small turns are exact
HALF_PI_LOW = 6.077100506506192e-11
TAN_THREE_SIXTEENTHS = 0.66
LOG2_E = 1.4426950408889634
LN_2_HIGH = 0.693145751953125
LN_2_LOW = 1.4286068203094173e-06


@rule
def clip(x: float, low: float, high: float) -> float:
    """Keep a number inside [low, high]."""
    if x < low:
        return low
    if x > high:
        return high
    return x


@rule
def lesser(x: float, y: float) -> float:
    """Give the smaller number, x when they are equal (`min` differs on CUDA for 0.0 and -0.0)."""
    if y < x:
        return y
    return x


@rule
def greater(x: float, y: float) -> float:
    """Give the larger number, x when they are equal (`max` differs on CUDA for 0.0 and -0.0)."""
    if y > x:
        return y
    return x


@rule
def _sine_near(x: float) -> float:
    """Sine of |x| <= pi/4."""
    z = x * x
    y = 1.0 / 355687428096000.0
    y = 1.0 / 1307674368000.0 - z * y
    y = 1.0 / 6227020800.0 - z * y
    y = 1.0 / 39916800.0 - z * y
    y = 1.0 / 362880.0 - z * y
    y = 1.0 / 5040.0 - z * y
    y = 1.0 / 120.0 - z * y
    y = 1.0 / 6.0 - z * y
    return x - x * z * y


@rule
def _cosine_near(x: float) -> float:
    """Cosine of |x| <= pi/4."""
    z = x * x
    y = 1.0 / 20922789888000.0
    y = 1.0 / 87178291200.0 - z * y
    y = 1.0 / 479001600.0 - z * y
    y = 1.0 / 3628800.0 - z * y
    y = 1.0 / 40320.0 - z * y
    y = 1.0 / 720.0 - z * y
    y = 1.0 / 24.0 - z * y
    return 1.0 - z * (0.5 - z * y)


@rule
def sine(x: float) -> float:
    """Sine of an angle of at most some thousand turns."""
    turns = math.floor(x * TWO_OVER_PI + 0.5)
    near = (x - turns * HALF_PI_HIGH) - turns * HALF_PI_LOW
    quarter = int(turns) % 4
    if quarter == 0:
        return _sine_near(near)
    if quarter == 1:
        return _cosine_near(near)
    if quarter == 2:
        return -_sine_near(near)
    return -_cosine_near(near)


@rule
def cosine(x: float) -> float:
    """Cosine of an angle of at most some thousand turns."""
    return sine(x + HALF_PI)


@rule
def _arctan_unit(x: float) -> float:
    """Angle whose tangent is 0 <= x <= 1."""
    shift = 0.0
    if x > TAN_THREE_SIXTEENTHS:
        x = (x - 1.0) / (x + 1.0)
        shift = HALF_PI / 2.0
    z = x * x
    above = -8.750608600031904122785e-1 * z - 1.615753718733365076637e1
    above = (above * z - 7.500855792314704667340e1) * z - 1.228866684490136173410e2
    above = above * z - 6.485021904942025371773e1
    below = (z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2
    below = (below * z + 4.328810604912902668951e2) * z + 4.853903996359136964868e2
    below = below * z + 1.945506571482613964425e2
    return shift + (x + x * z * above / below)


@rule
def arctangent(y: float, x: float) -> float:
    """Angle in (-pi, pi] of the point (x, y) seen from the origin; 0 at the origin itself."""
    far = abs(x)
    high = abs(y)
    if far == 0.0 and high == 0.0:
        return 0.0
    if high <= far:
        angle = _arctan_unit(high / far)
    else:
        angle = HALF_PI - _arctan_unit(far / high)
    if x < 0.0:
        angle = 2.0 * HALF_PI - angle
    return -angle if y < 0.0 else angle


@rule
def exponential(x: float) -> float:
    """Give e to the power of x, 0 and infinity beyond what float64 holds."""
    if x < -745.0:
        return 0.0
    if x > 709.7:
        return math.inf
    twos = math.floor(x * LOG2_E + 0.5)
    near = (x - twos * LN_2_HIGH) - twos * LN_2_LOW
    y = 1.0
    for k in range(16, 0, -1):
        y = 1.0 + near * y / k
    for _ in range(int(abs(twos))):
        y = y * 2.0 if twos > 0.0 else y * 0.5
    return y
