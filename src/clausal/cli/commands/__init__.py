"""The commands, one file each: their options and their steps."""
