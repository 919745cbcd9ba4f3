"""The commands, one file each: their options and the order of their work."""
