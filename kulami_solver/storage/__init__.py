"""Files of solved positions, whatever the game: container, databases, build folders."""
