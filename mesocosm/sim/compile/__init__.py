"""From rules to machine code: what is compiled, how Numba is told, and where the result is kept.

`vet` reads rules before and `diagnose` explains failures after; `specialise` writes the step out
for one world; `fields` lays its arguments out, `reference` and `register` teach Numba about them
and about rules; `fingerprint`, `cache`, `code_cache`, `file_lock` and `shipped` keep compiled code.

Imports point down: this package knows the step and no target that runs it.
"""
