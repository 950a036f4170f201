"""Drivers with which `mesocosm.testing.check_adapter` plays our adapters; one file for each."""
