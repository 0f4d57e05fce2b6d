"""Thompson (2005): small networks learn, game by game, to value boards of Konane as their minimax teacher does."""
