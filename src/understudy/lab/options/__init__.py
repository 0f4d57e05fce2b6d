"""What an experiment of each kind may say: sections as frozen dataclasses, checked before anything runs."""
