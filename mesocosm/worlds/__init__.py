"""The worlds, one folder each; the folder is the registry."""
