"""The compiled game of Kulami: rules, scoring bounds and the exact search."""
