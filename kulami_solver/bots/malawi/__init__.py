"""What is Malawi's own where bots play: its bots, openings, records, and positions to judge by."""
