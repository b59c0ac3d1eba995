"""What is Just 4 Fun's own where bots play: its bots, deals, records, and positions to judge by."""
