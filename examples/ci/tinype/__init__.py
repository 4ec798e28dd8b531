"""A small library of positional encodings."""
