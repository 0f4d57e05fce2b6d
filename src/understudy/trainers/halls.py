"""Whom a child meets: a hall of fame of former champions, and players by name (Miller's lost champions, E-15)."""

from __future__ import annotations

import numpy as np

from understudy.trainers.arena import Alleles

MOST = 200
"""So many are kept; when there are more, every second of the older half goes."""
LATEST = 10


class Hall:
    """Former champions, the oldest first."""

    def __init__(self, members: Alleles) -> None:
        self.members = members

    def add(self, champion: Alleles) -> None:
        """Take in a champion."""
        self.members = np.vstack([self.members, champion])
        if len(self.members) > MOST:
            old = np.arange(MOST // 2)
            self.members = np.delete(self.members, old[1::2], axis=0)

    def drawn(self, count: int, rng: np.random.Generator) -> list[Alleles]:
        """Return *count* members: every second from the latest few, the others from all."""
        size = len(self.members)
        latest = range(max(0, size - LATEST), size)
        places = [int(rng.choice(latest)) if turn % 2 == 0 else int(rng.integers(size)) for turn in range(count)]
        return [self.members[place] for place in places]
