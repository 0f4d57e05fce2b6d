"""Players of chess alone: UCI engines, and students that learned what an engine says."""
