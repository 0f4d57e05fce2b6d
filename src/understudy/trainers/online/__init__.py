"""Learning while playing: pupils, their lessons inside kernels, and single steps of back-propagation."""
