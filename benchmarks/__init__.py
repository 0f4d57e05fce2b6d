"""Speeds, side by side with peers and limits in one run: `make bench`."""
