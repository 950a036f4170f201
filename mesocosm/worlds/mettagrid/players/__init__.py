"""Scripted teams: what they see, remember and want, and the way they take.

Imports point down: crew → route | memory | sight; sides stands beside them.
"""
