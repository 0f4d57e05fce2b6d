"""Neural Nine Men's Morris: Galassi (2017) and Chesani, Galassi, Lippi, Mello (2018)."""
