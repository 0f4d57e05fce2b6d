"""Games and positions of chess in files: read, sampled, labelled by engines."""
