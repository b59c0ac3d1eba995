"""Malawi, the loopy sibling of Kulami: exact values of every position of small boards."""
