"""Explicit-state model of the commit protocol: every interleaving, crash and late request."""
