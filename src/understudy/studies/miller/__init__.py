"""Miller (2010), pLoGANN: networks that play Lines of Action evolve in tournaments."""
