"""What a network learns of a game by watching alone: a study of our own, without a paper, in every game.

The papers on Nine Men's Morris asked it of one game. Here students of Konane, of Lines of Action and of chess watch a
teacher, learn its moves part by part, and are judged by the same measures (kind `imitation`).
"""
