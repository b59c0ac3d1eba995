"""A case of Kulami: a position, the scoring, and the value of each legal field.

A field that costs something is refuted: best play is followed to the end twice, after the field
that was played and after the first of the best ones on the board. The difference between the two
ends is told by panels, which people look at; if no panel is lost, the area or the chains differ.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from ...drawing.shapes import Colour, Shape
from ...drawing.svg import picture_svg
from ...errors import Phrase, PositionError
from ...game import Budget, Question, ask
from ...kulami.drawing.render import middle_of, picture_of, value_mark
from ...kulami.game import KulamiState, state_of
from ...kulami.position.edition import chosen
from ...kulami.position.layout import owner_of
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ..case import Case as AnyCase
from ..case import move_values, signed_briefly, suite_record

_NAMES: Final = {"0": "level 0", "1": "level 1", "2": "level 2", "chains": "panels, chains"}
_RIGHT: Final[Colour] = (20, 128, 60, 1.0)
_WRONG: Final[Colour] = (196, 30, 34, 1.0)
_OTHER: Final[Colour] = (104, 92, 78, 1.0)
_NODES: Final = 20_000_000
_MEMORY: Final = "64M"  # constant: it decides which of equal fields a search finds first


@dataclass(frozen=True)
class Turned:
    """A panel that has another owner in the end than after the best field; None is nobody.

    Attributes:
        fields: its fields.
        owner: the side with more marbles on it in the end.
        instead: the owner after the best field.
    """

    fields: tuple[str, ...]
    owner: str | None
    instead: str | None

    def lost(self, side: str) -> int:
        """Return how many points the change costs a side; a gain is negative."""
        owners = (self.instead, self.owner)
        worth = [(owner == side) - (owner not in (side, None)) for owner in owners]
        return len(self.fields) * (worth[0] - worth[1])


@dataclass(frozen=True)
class Refutation:
    """The consequences of a field.

    Attributes:
        side: the side that played it.
        line: the field and best play of both after it, to the end.
        best: the field that would have been best, and best play after it, to the end.
        turned: the panels that change hands, the most costly first.
    """

    side: str
    line: tuple[str, ...]
    best: tuple[str, ...]
    turned: tuple[Turned, ...]

    @property
    def words(self) -> Phrase:
        """The reason in a few words: the panel that costs most, by its first field and its last."""
        worst = next(iter(self.turned), None)
        if worst is None or worst.lost(self.side) <= 0:
            return Phrase("areas_decide", best=self.best[0])
        return Phrase(
            "panel_turned",
            best=self.best[0],
            played=self.line[0],
            size=len(worst.fields),
            panel=f"{worst.fields[0]}-{worst.fields[-1]}",
            owner=worst.owner or "nobody",
            instead=worst.instead or "nobody",
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as the command line prints it; `points` is what a panel costs the side."""
        panels = []
        for one in self.turned:
            told = {"fields": list(one.fields), "owner": one.owner, "instead": one.instead}
            panels.append({**told, "points": one.lost(self.side)})
        best = {"best": self.best[0], "best_line": list(self.best)}
        return {"line": list(self.line), **best, "panels": panels}


def refutation_of(
    position: Position, scoring: Scoring, played: str, best: str
) -> Refutation | None:
    """Return why a field is worse than another one, None if that takes too long to find out.

    Args:
        position: before both.
        scoring: what counts.
        played, best: two legal fields.

    Examples:
        >>> from kulami_solver import Layout
        >>> start = Position(Layout.parse("AAB/CCB")).play("a1")
        >>> refutation_of(start, Scoring.LEVEL0, "a2", "c1").words
        'after c1 black gets the panel of 2, c1-c2; after a2 red does'
    """
    line, other = (_line_after(position, field, scoring) for field in (played, best))
    if not line or not other:
        return None
    ends = position.play_all(line), position.play_all(other)
    turned = []
    for panel in position.layout.panels:
        owner, instead = (owner_of(panel, end.red, end.black) for end in ends)
        if owner != instead:
            fields = tuple(position.layout.fields[number] for number in panel.fields)
            turned.append(Turned(fields, owner, instead))
    turned.sort(key=lambda one: one.lost(position.turn), reverse=True)
    return Refutation(position.turn, line, other, tuple(turned))


def _line_after(position: Position, field: str, scoring: Scoring) -> tuple[str, ...]:
    after = position.play(field)
    if after.is_over:
        return (field,)
    budget = Budget(nodes=_NODES, threads=1, memory=_MEMORY)
    found = ask(Question(state_of(after, scoring), budget=budget))
    return (field, *found.line) if found.exact else ()


@dataclass(frozen=True)
class Case(AnyCase):
    """A position of Kulami, the scoring, and the value of each legal field.

    Examples:
        >>> from kulami_solver import Layout
        >>> case = Case.of(Position(Layout.parse("AAB/CCB")).play("a1"), Scoring.LEVEL0)
        >>> case.values, case.best, case.best_moves
        ({'c1': 0, 'a2': -2}, 0, ('c1',))
    """

    state: KulamiState
    values: Mapping[str, int]

    game_called: ClassVar = "Kulami"
    move_word: ClassVar = "field"
    unit: ClassVar = "margin"
    named_by: ClassVar = ("kfn", "scoring")
    grouped_by: ClassVar = ("free", "scoring", "origin")
    tabled_by: ClassVar = ("free", "scoring")
    called: ClassVar = {"free": "free fields", "origin": "origin of the position"}

    @classmethod
    def of(cls, position: Position, scoring: Scoring, origin: str = "") -> Case:
        """Solve a position whose game is not over."""
        state = state_of(position, scoring)
        found = move_values(state, Budget(threads=1))
        assert found is not None  # there is no limit
        return cls(state, {field: int(found[field]) for field in position.legal_fields}, origin)

    @property
    def position(self) -> Position:
        """The position."""
        return self.state.position

    @property
    def scoring(self) -> Scoring:
        """What counts."""
        return self.state.game.scoring

    def column(self, name: str) -> object:
        if name == "kfn":
            return self.position.kfn()
        if name == "free":
            return self.position.free_count
        return self.scoring.value if name == "scoring" else self.origin

    @classmethod
    def words(cls, column: str, value: str) -> str:
        return _NAMES[value] if column == "scoring" else value

    @property
    def rules_words(self) -> str:
        return _NAMES[self.scoring.value]

    @classmethod
    def rules_json(cls, state: Any) -> dict[str, object]:
        return {"scoring": state.game.scoring.value}

    @classmethod
    def standing(cls, state: Any) -> str:
        score = state.position.score(state.game.scoring)
        return f"red {score.red}, black {score.black}"

    @property
    def about(self) -> tuple[str, ...]:
        return self.rules_words, f"{self.position.free_count} free"

    def picture(self, played: str | None) -> str:
        """Return the board with every legal field's margin on it, green on the best fields.

        Examples:
            >>> from kulami_solver import Layout
            >>> case = Case.of(Position(Layout.parse("AAB/CCB")).play("a1"), Scoring.LEVEL0)
            >>> case.picture("a2").count("\u22122</text>")
            1
        """
        picture = picture_of(self.position)
        layout = self.position.layout
        shapes: list[Shape] = list(picture.shapes)
        for field, value in self.values.items():
            wrong = _WRONG if field == played else _OTHER
            colour = _RIGHT if value == self.best else wrong
            middle = middle_of(layout, layout.index(field))
            shapes += value_mark(*middle, signed_briefly(value), colour, thick=colour is not _OTHER)
        return picture_svg(replace(picture, shapes=tuple(shapes)))

    def refutation(self, played: str) -> Refutation | None:
        best = min(self.best_moves, key=self.position.legal_fields.index)  # in any order of values
        return refutation_of(self.position, self.scoring, played, best)

    @property
    def line(self) -> str:
        position = self.position
        record: dict[str, object] = {
            "kfn": position.kfn(),
            "scoring": self.scoring.value,
            "values": dict(self.values),
        }
        record |= position.edition.unusual
        if self.origin:
            record["origin"] = self.origin
        return json.dumps(record)

    @classmethod
    def parse(cls, line: str) -> Case:
        """Read a line of a suite.

        Raises:
            KulamiError: if it is not a case; the message says what is wrong.

        Examples:
            >>> line = '{"kfn": "AAB/CCB r b a1", "scoring": "0", "values": {"c1": 0, "a2": -2}}'
            >>> Case.parse(line).best_moves
            ('c1',)
        """
        record = suite_record(line, ("kfn", "scoring", "values"))
        position = Position.from_kfn(record["kfn"], **chosen(record))
        values = record["values"]
        whole = isinstance(values, dict) and all(type(v) is int for v in values.values())
        if not whole or set(values) != set(position.legal_fields) or not values:
            fields = " ".join(position.legal_fields) or "the game is over"
            raise PositionError(
                f"its values are not one whole number for each legal field: {fields}"
            )
        origin = record.get("origin", "")
        return cls(state_of(position, Scoring.parse(record["scoring"])), values, str(origin))
