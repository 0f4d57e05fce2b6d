"""Evolved networks for Lines of Action: C. M. Miller, AFIT/GCS/ENG/10-06, 2010."""
