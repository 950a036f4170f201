"""One self-contained HTML page about a training: curves, comparison, lives, a film, settings.

Imports point down: page → curves | compared | facts → chart → svg.
"""
