"""The commands about Kulami, which need no name of a game before them."""
