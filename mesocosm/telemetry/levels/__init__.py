"""The four levels of logging: each collects one table's rows, in bounded buffers.

Imports point down: level → episode | event | step | agent → buffer; what they read of a step comes
from `mesocosm.telemetry.step_reader`.
"""
