"""Tables: what each level records, column by column, and where the rows go.

Imports point down: parquet | tensorboard | export → sinks → columns → table. Nothing here knows an
env or a run: a spec says what the columns are, a sink takes rows.
"""
