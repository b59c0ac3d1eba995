"""Files of solved positions, whatever the game: container, databases, build folders."""

# Before msgspec, which imports it in C and loses a Ctrl-C meanwhile: it would crash afterwards.
import datetime  # noqa: F401
