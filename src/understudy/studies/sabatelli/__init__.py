"""Sabatelli (2017): networks learn what an engine says of chess positions, and play without look-ahead."""
