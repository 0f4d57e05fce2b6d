"""Networks that learn an engine's labels: M. Sabatelli, Learning to Play Chess with Minimal Lookahead, 2017."""
