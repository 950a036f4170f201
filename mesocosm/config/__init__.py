"""One declarative object that describes an experiment completely."""
