"""The directive `board`: a position of Kulami, drawn by the package while the site is built.

    ```{board} ABBCD/ABBCD/ABBEE/FFFEE 1r3/5/5/5 b b1
    :values:
    :scoring: 2
    The caption.
    ```

The position is a KFN, or a layout and `:moves:`. With `:values:` every legal field has its exact
value, after a search that may visit a million positions.
"""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import OptionSpec

import kulami_solver as ks

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


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("board", Board)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
