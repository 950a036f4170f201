"""What collects the rows of the tables of the four levels of logging, in bounded buffers.

Imports point down: level → episode | episode_agents | event | step | agent → buffer; what they
read of a step comes from `mesocosm.telemetry.step_reader`.
"""
