"""The generated stubs of the package `spades.v1`."""
