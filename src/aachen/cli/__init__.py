"""The command `aachen`: play in the terminal, look at positions and records, and let bots play many games."""
