"""The Universal Chess Interface: any player as an engine for chess programs."""
