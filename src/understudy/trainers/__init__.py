"""How students learn: generators of progress, whose owner logs, saves, judges and stops."""
