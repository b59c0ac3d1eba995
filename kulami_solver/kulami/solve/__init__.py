"""The search: a position's exact value, on one thread or many workers."""
