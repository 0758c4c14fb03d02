"""The table as a service: people and bots play together, live or over days, over HTTP and WebSocket."""
