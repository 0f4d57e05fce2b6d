"""How good players are."""
