"""Players offered to other programs."""
