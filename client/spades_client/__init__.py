"""The terminal client and the command spades."""
