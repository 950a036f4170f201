"""Scenes as pictures and films: how primitives are drawn, and the files they are written to."""
