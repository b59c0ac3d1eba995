"""Labels for learners: positions with every field's exact value, as a table.

    plan        the task: how many positions, from which games, with how many free fields
    games       the games that positions are taken from
    rows        positions and values as rows of numbers, and a filter for repeated positions
    work        the folder that keeps unfinished work, so that it can go on
    files       Parquet and .npz
    card        the data card beside the file
    writing     from a plan to a file, on threads, processes or a cluster

    plan -> groups of games, one layout each -> executor -> rows -> work folder -> file, card

A group's positions depend on the plan and the group's number alone, and groups are put together
in the order of their numbers: the file is the same for any number of workers and interruptions.
"""

from .plan import LabelPlan
from .writing import Written as Written
from .writing import write_labels

__all__ = ["LabelPlan", "write_labels"]
