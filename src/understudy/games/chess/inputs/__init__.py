"""Chess positions as numbers for networks."""
