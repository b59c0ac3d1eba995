"""Labels for learners: positions with every field's exact value, as a table.

    plan        the task: how many positions, from which games, with how many free fields
    table       the rows of the file, and its data card
    parquet     the file, written and read
    reading     planes of the rows, and parts for training, validation and test
    writing     from a plan to a file, on processes or a cluster; unfinished work

plan -> groups of games, one layout each -> processes -> rows -> work folder -> file, card

A group's positions depend on the plan and the group's number alone, and groups are put together
in the order of their numbers: the file is the same for any number of workers and interruptions.
"""

from .parquet import read_labels
from .plan import LabelPlan
from .reading import Digest, label_planes, splits
from .writing import Written as Written
from .writing import write_labels

__all__ = ["Digest", "LabelPlan", "label_planes", "read_labels", "splits", "write_labels"]
