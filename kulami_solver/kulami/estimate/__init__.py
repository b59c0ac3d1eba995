"""What is not proved: expected values, and the cost of finding exact ones."""
