"""How good players of chess are."""
