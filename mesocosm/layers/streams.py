"""The random numbers of layers: each layer has a thousand streams of its own."""

INFORMATION, TEMPORAL, HIERARCHY, INTERACTION, POWER, INCENTIVES, UNCERTAINTY = range(
    1000, 8000, 1000
)
