"""Other worlds: any game as an environment of PettingZoo or a game of OpenSpiel, and OpenSpiel's bots as players."""
