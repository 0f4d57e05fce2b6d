"""Perfect play on small boards of Konane."""
