"""Stub."""
def check_budget(plan, workers, memory, force):
    pass
