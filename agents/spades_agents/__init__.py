"""The SDK: write an agent, play it in process, connect it to a server."""
