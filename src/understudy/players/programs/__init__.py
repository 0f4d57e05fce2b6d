"""Programs that others wrote as players, and our players for the programs of others: what UCI and its kin share.

Knows no game: how moves and positions are said is told by the game's own modules (`engine` and `uci` of its record).
"""
