"""How a position is shown: in words, as text, and as a picture. `Position` inherits it."""

from __future__ import annotations

from typing import cast

from ..errors import Phrase
from .views import PositionView
from .words import standing


class Shown:
    """The methods of a position that draw it; what draws is imported when it is asked for."""

    def standing(self) -> Phrase:
        """Return in a few words how the game stands.

        Examples:
            >>> from kulami_solver.just4fun import Position
            >>> Position.from_jfn("1x3 1:r2,2:r1b1,3:b2 r0b0 r r2,b3 - -", hand=1).standing()
            'game over, blue has won; sums red 1, blue 3'
        """
        return standing(self._position)

    def text(self, *, ascii_only: bool = False) -> str:
        """Return board, hands and how the game stands as text.

        Args:
            ascii_only: draw the lines with `+`, `-` and `|`.

        Examples:
            >>> from kulami_solver.just4fun import Position
            >>> position = Position.from_jfn("1x2 2:r1 r1b2 b r1,b1 - -", hand=1)
            >>> print(position.text(ascii_only=True))
            +--------+--------+
            |  1     |  2 r1  |
            +--------+--------+
            hands     red   1
                      blue  1
            stock     none
            discards  none
            blue to move; stones left red 1, blue 2; sums red 2, blue 0
        """
        from .render import board_text

        return board_text(self._position, ascii_only=ascii_only)

    def ansi(self) -> str:
        """Return the same with colours for a terminal."""
        from .render import board_ansi

        return board_ansi(self._position)

    def svg(self, *, language: str = "en") -> str:
        """Return the position as an SVG document without a prologue.

        Args:
            language: of its words, `en`, `de`, `fr`, `es` or `nl`.

        Examples:
            >>> from kulami_solver.just4fun import Position
            >>> Position.from_jfn("1x1 - r1b1 r r1,b1 - -", hand=1).svg()[:4]
            '<svg'
        """
        from ..drawing.svg import picture_svg
        from .picture import picture_of

        return picture_svg(picture_of(self._position, language))

    def png(self, *, square: int = 80) -> bytes:
        """Return the position as the bytes of a PNG file.

        Args:
            square: the width of a field in pixels, 16 to 256.

        Raises:
            KulamiError: if Pillow is not installed, or `square` is out of range.

        Examples:
            >>> from kulami_solver.just4fun import Position
            >>> Position.from_jfn("1x1 - r1b1 r r1,b1 - -", hand=1).png()[1:4]
            b'PNG'
        """
        from ..drawing.png import picture_png
        from .picture import picture_of

        return picture_png(picture_of(self._position), square=square)

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg()

    @property
    def _position(self) -> PositionView:
        return cast("PositionView", self)
