"""Random numbers as pure functions of (word, time, stream, index): no generator, no order.

`word` is the identity of an episode, from `episode_word(seed, env index, episode)`. A stream
separates uses: worlds own 0..999, each layer a thousand of its own.
"""

from mesocosm.sim.rule import rule

MASK = 0xFFFF_FFFF_FFFF_FFFF
GOLDEN = 0x9E37_79B9_7F4A_7C15
FIRST = 0xBF58_476D_1CE4_E5B9
SECOND = 0x94D0_49BB_1331_11EB
STREAM_STEP = 0xD6E8_FEB8_6659_FD93
TO_UNIT = 1.0 / 9007199254740992.0
PAIRS = 0x0000_FFFF_0000_FFFF
LOW_HALF = 0xFFFF_FFFF
NORMAL_MEAN = 131070.0
NORMAL_SCALE = 1.0 / 37837.22739700945


def u64(x: int) -> int:
    """Read an integer as an unsigned 64-bit word (compiled code casts instead)."""
    return x & MASK


def i64(x: int) -> int:
    """Read a word as a signed 64-bit integer (compiled code casts instead)."""
    return x - (MASK + 1) if x > MASK >> 1 else x


@rule
def mix(z: int) -> int:
    """Scramble a word: every input bit reaches every output bit."""
    z = u64(u64(z ^ (z >> u64(30))) * u64(FIRST))
    z = u64(u64(z ^ (z >> u64(27))) * u64(SECOND))
    return z ^ (z >> u64(31))


@rule
def episode_word(seed: int, index: int, episode: int) -> int:
    """Name one episode of one env under one seed."""
    z = mix(u64(u64(seed) + u64(GOLDEN)))
    z = mix(u64(z ^ u64(u64(index) * u64(GOLDEN))))
    z = mix(u64(z ^ u64(u64(episode) * u64(STREAM_STEP))))
    return i64(z)


@rule
def draw(word: int, t: int, stream: int, index: int) -> int:
    """Give the 64 random bits of one use."""
    z = mix(u64(u64(word) + u64(u64(t) * u64(GOLDEN))))
    return mix(u64(u64(z ^ u64(u64(stream) * u64(STREAM_STEP))) + u64(u64(index) * u64(GOLDEN))))


@rule
def uniform(word: int, t: int, stream: int, index: int) -> float:
    """Draw a number in [0, 1) with 53 random bits."""
    return (draw(word, t, stream, index) >> u64(11)) * TO_UNIT


@rule
def below(n: int, word: int, t: int, stream: int, index: int) -> int:
    """Draw an integer in 0..n-1 (0 when n is not positive)."""
    if n < 1:
        return 0
    return int(uniform(word, t, stream, index) * n)


@rule
def normal(word: int, t: int, stream: int, index: int) -> float:
    """Draw from a bell curve of mean 0 and deviation 1: four 16-bit fields, within ±3.47."""
    z = draw(word, t, stream, index)
    low = (z & u64(65535)) * 1.0 + ((z >> u64(16)) & u64(65535)) * 1.0
    high = ((z >> u64(32)) & u64(65535)) * 1.0 + (z >> u64(48)) * 1.0
    return (low + high - NORMAL_MEAN) * NORMAL_SCALE


@rule
def row_key(word: int, t: int, stream: int, index: int) -> int:
    """Give the key of a row of draws: one step, one use, one agent."""
    return draw(word, t, stream, index)


@rule
def uniform_at(key: int, k: int) -> float:
    """Draw the k-th number in [0, 1) of a row."""
    z = mix(u64(key + u64(u64(k) * u64(GOLDEN))))
    return i64(z >> u64(11)) * TO_UNIT


@rule
def normal_at(key: int, k: int) -> float:
    """Draw the k-th number of a row from the bell curve of `normal`."""
    z = mix(u64(key + u64(u64(k) * u64(GOLDEN))))
    pairs = u64((z & u64(PAIRS)) + ((z >> u64(16)) & u64(PAIRS)))
    total = i64((pairs & u64(LOW_HALF)) + (pairs >> u64(32)))
    return (total - NORMAL_MEAN) * NORMAL_SCALE
