"""Policies from files: bundles, one's own code, and several of them in one role.

`load` finds what a text names; `bundle_policy` plays a bundle, which `fit_observation` and
`fit_action` match by names with the role that it plays; `own_code` guards code that anyone wrote;
`slots` lets several policies play one role. Torch is loaded with the first bundle only.
"""
