"""Directives for boards of Kulami, drawn by the package while the site is built.

`board` is a position:

    ```{board} ABBCD/ABBCD/ABBEE/FFFEE 1r3/5/5/5 b b1
    :values:
    :scoring: 2
    The caption.
    ```

The position is a KFN, or a layout and `:moves:`. With `:values:` every legal field has its exact
value, after a search that may visit a million positions.

`named-boards` are the layouts that have names, without the numbered ones.
"""

from __future__ import annotations

from itertools import starmap
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import OptionSpec

import kulami_solver as ks
from kulami_solver.drawing.svg import picture_svg
from kulami_solver.kulami.drawing.render import picture_of
from kulami_solver.kulami.position.layout import published_layouts

_NODES = 1_000_000


class Board(SphinxDirective):
    """A drawn position, with a caption if the directive has content."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[OptionSpec] = {
        "moves": directives.unchanged_required,
        "values": directives.flag,
        "scoring": directives.unchanged_required,
        "width": directives.nonnegative_int,
    }

    def run(self) -> list[nodes.Node]:
        """Draw it."""
        position = self._position()
        if "values" in self.options:
            scoring = self.options.get("scoring", "0")
            solution = ks.solve(position, scoring, every_move=True, nodes=_NODES)
            if not solution.exact:
                raise self.error(f"{self.arguments[0]} takes more than {_NODES} nodes to value")
            picture = solution.svg()
        else:
            picture = position.svg()
        figure = nodes.figure(classes=["board"])
        if "width" in self.options:
            figure["width"] = f"{self.options['width']}px"
        drawn = nodes.container("", nodes.raw("", picture, format="html"), classes=["drawing"])
        figure += drawn
        if self.content:
            caption = nodes.caption()
            said, _ = self.state.inline_text(" ".join(self.content), self.lineno)
            caption += said
            figure += caption
        return [figure]

    def _position(self) -> ks.Position:
        text: str = self.arguments[0]
        try:
            if " " in text:
                position = ks.Position.from_kfn(text)
            elif text in ("square", "rulebook"):
                position = ks.Position(getattr(ks.Layout, text)())
            else:
                position = ks.Position(ks.Layout.parse(text))
            return position.play_all(self.options.get("moves", ""))
        except ks.KulamiError as error:
            raise self.error(str(error)) from None


class NamedBoards(SphinxDirective):
    """The layouts that have names, each with its name below."""

    def run(self) -> list[nodes.Node]:
        """Draw them."""
        known = {"square": ks.Layout.square(), "rulebook": ks.Layout.rulebook()}
        for name, text in published_layouts().items():
            if not name.startswith("boardspace-"):
                known[name] = ks.Layout.parse(text)
        return [nodes.container("", *starmap(_named, known.items()), classes=["named-boards"])]


def _named(name: str, layout: ks.Layout) -> nodes.figure:
    drawn = nodes.raw("", picture_svg(picture_of(layout)), format="html")
    said = nodes.caption("", "", nodes.literal("", name))
    return nodes.figure("", drawn, said, classes=["board"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("board", Board)
    app.add_directive("named-boards", NamedBoards)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
