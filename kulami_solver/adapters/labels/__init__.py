"""Labels for learners: positions with every field's exact value, as a table.

    plan        the task: how many positions, from which games, with how many free fields
    table       the file: rows of numbers, Parquet and .npz, and the data card beside it
    reading     planes of the rows, and parts for training, validation and test
    writing     from a plan to a file, on threads, processes or a cluster; unfinished work

plan -> groups of games, one layout each -> executor -> rows -> work folder -> file, card

A group's positions depend on the plan and the group's number alone, and groups are put together
in the order of their numbers: the file is the same for any number of workers and interruptions.
"""

from .plan import LabelPlan
from .reading import label_planes, row_layouts, splits
from .writing import Written as Written
from .writing import write_labels

__all__ = ["LabelPlan", "label_planes", "row_layouts", "splits", "write_labels"]
