"""What is Kulami's own where bots play: openings on layouts, and records of games."""
