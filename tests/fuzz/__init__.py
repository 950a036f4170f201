"""Draw whole configs from the JSON Schemas, and play each; `run` is the long form."""
