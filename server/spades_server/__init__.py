"""The server: tables without I/O, and the gRPC services around them."""
