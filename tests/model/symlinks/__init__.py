"""The folder of one partition's symlink manifest as a state machine."""
