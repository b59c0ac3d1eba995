"""What games need and no game owns: numbers, files, tasks, budgets; compiled: bits and tables."""
