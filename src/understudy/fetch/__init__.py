"""Data that anybody can get: the table of what others publish, and how it comes to this machine."""
