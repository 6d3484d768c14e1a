"""The wire: messages, stubs, and every conversion between them and the rules' values."""
