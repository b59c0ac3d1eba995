"""Why a field spoils a game: the answer to it, and the panels that then change hands.

Best play is followed to the end twice, after the field that was played and after the first of the
best ones. The difference between the two ends is told by panels, which people look at; if no panel
changes hands, the area or the chains differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ...errors import Phrase
from ...game import Budget, Question, ask
from ...kulami.game import state_of
from ...kulami.position.layout import owner_of
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring

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
        worth = [
            (owner == side) - (owner not in (side, None)) for owner in (self.instead, self.owner)
        ]
        return len(self.fields) * (worth[0] - worth[1])

    @property
    def words(self) -> Phrase:
        """The change in words; the panel is named by its first field and its last."""
        panel = f"{self.fields[0]}-{self.fields[-1]}"
        owner, instead = self.owner or "nobody", self.instead or "nobody"
        return Phrase("panel_turned", panel=panel, owner=owner, instead=instead)


@dataclass(frozen=True)
class Refutation:
    """The consequences of a field.

    Attributes:
        side: the side that played it.
        line: the field and best play of both after it, to the end.
        best: the field that would have been best.
        turned: the panels that change hands, the most costly first.
    """

    side: str
    line: tuple[str, ...]
    best: str
    turned: tuple[Turned, ...]

    @property
    def words(self) -> Phrase:
        """The reason in a few words: the answer, and at most two panels that are lost."""
        lost = [one.words for one in self.turned if one.lost(self.side) > 0]
        changes = lost[0] if lost else Phrase("areas_decide")
        if len(lost) > 1:
            changes = Phrase("two_changes", one=lost[0], other=lost[1])
        why = Phrase("in_the_end", changes=changes, best=self.best)
        return Phrase("answer_follows", answer=self.line[1], why=why) if self.line[1:] else why

    def to_json(self) -> dict[str, Any]:
        """Return it as the command line prints it."""
        panels = [
            {"fields": list(one.fields), "owner": one.owner, "instead": one.instead}
            for one in self.turned
        ]
        return {"line": list(self.line), "best": self.best, "panels": panels}


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
        "c2 follows; in the end c1-c2 is red's, not black's (compared with c1)"
    """
    line, other = (_best_play(position, field, scoring) for field in (played, best))
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
    return Refutation(position.turn, line, best, tuple(turned))


def _best_play(position: Position, field: str, scoring: Scoring) -> tuple[str, ...]:
    after = position.play(field)
    if after.is_over:
        return (field,)
    budget = Budget(nodes=_NODES, threads=1, memory=_MEMORY)
    found = ask(Question(state_of(after, scoring), budget=budget))
    return (field, *found.line) if found.exact else ()
