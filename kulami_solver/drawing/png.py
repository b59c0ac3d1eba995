"""Pictures as PNG, painted with Pillow, which is an optional extra."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from ..core.whole_numbers import whole
from ..errors import KulamiError
from .shapes import SQUARE, Ball, Colour, Grain, Label, Picture, Plank, Ring

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

# Pillow paints hard edges, so everything is painted larger by this factor and scaled down.
_FINER = 3
# Pillow's own font has no such signs.
_AS_TYPED = str.maketrans({"\u2212": "-", "≥": ">=", "≤": "<="})


def picture_png(picture: Picture, *, square: int = 80) -> bytes:
    """Return a picture as the bytes of a PNG file.

    Args:
        picture: any.
        square: the width of a board's square in pixels, 16 to 256.

    Raises:
        KulamiError: if Pillow is not installed, or `square` is out of range.

    Examples:
        >>> picture_png(Picture(10, 10, (), "nothing", "at all"), square=2)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: a picture with squares of 2 pixels is not possible: \
choose 16 to 256
    """
    pixels = whole(square)
    if pixels is None or not 16 <= pixels <= 256:
        raise KulamiError("square_size", square=square)
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise KulamiError("extra_missing", package="Pillow", extra="png") from None
    scale = square / SQUARE
    size = (round(picture.width * scale), round(picture.height * scale))
    image = Image.new("RGB", (size[0] * _FINER, size[1] * _FINER), "white")
    # In this mode, colours that are not opaque are mixed with the colours below.
    _Brush(ImageDraw.Draw(image, "RGBA"), scale * _FINER).paint(picture)
    file = io.BytesIO()
    image.resize(size, Image.Resampling.LANCZOS).save(file, "PNG")
    return file.getvalue()


class _Brush:
    """Paints shapes on a sheet, `scale` pixels to the unit."""

    def __init__(self, draw: ImageDraw, scale: float) -> None:
        self._draw = draw
        self._scale = scale

    def paint(self, picture: Picture) -> None:
        for shape in picture.shapes:
            if isinstance(shape, Plank):
                self._plank(shape)
            elif isinstance(shape, Grain):
                for line in shape.lines:
                    points = [(x * self._scale, y * self._scale) for x, y in line]
                    self._draw.line(points, _rgba(shape.colour), round(self._scale))
            elif isinstance(shape, Ball):
                self._ball(shape)
            elif isinstance(shape, Ring):
                outer = shape.radius + shape.width / 2
                self._draw.ellipse(
                    self._box(shape.x - outer, shape.y - outer, 2 * outer, 2 * outer),
                    outline=_rgba(shape.colour),
                    width=round(shape.width * self._scale),
                )
            else:
                self._label(shape)

    def _box(self, x: float, y: float, width: float, height: float) -> tuple[float, ...]:
        scale = self._scale
        return (x * scale, y * scale, (x + width) * scale, (y + height) * scale)

    def _plank(self, plank: Plank) -> None:
        box = self._box(plank.x, plank.y, plank.width, plank.height)
        radius = plank.radius * self._scale
        self._draw.rounded_rectangle(box, radius, _rgba(plank.upper))
        if plank.upper != plank.lower:
            # Shades cover the straight part of the sides; the round corners keep the end shades.
            left, top, right, bottom = box
            self._draw.rounded_rectangle(
                (left, (top + bottom) / 2, right, bottom), radius, _rgba(plank.lower)
            )
            first, last = int(top + radius), int(bottom - radius)
            for line in range(first, last + 1):
                shade = _mixed(plank.upper, plank.lower, (line - first) / max(last - first, 1))
                self._draw.line((left, line, right, line), _rgba(shade))
        if plank.rim:
            self._draw.rounded_rectangle(
                box, radius, outline=_rgba(plank.rim), width=round(self._scale)
            )

    def _ball(self, ball: Ball) -> None:
        # Discs from the rim to the light, each a little nearer to the upper left.
        steps = 1 if ball.light == ball.dark else 32
        for step in range(steps):
            inward = step / steps
            radius = ball.radius * (1 - inward)
            x = ball.x - 0.36 * ball.radius * inward
            y = ball.y - 0.44 * ball.radius * inward
            self._draw.ellipse(
                self._box(x - radius, y - radius, 2 * radius, 2 * radius),
                _rgba(_mixed(ball.dark, ball.light, inward)),
            )

    def _label(self, label: Label) -> None:
        from PIL import ImageFont

        try:
            font = ImageFont.load_default(label.size * self._scale)
        except TypeError:  # older ones have a font of one small size only
            newer = "Pillow 10.1 or newer"
            raise KulamiError("extra_missing", package=newer, extra="png") from None
        self._draw.text(
            (label.x * self._scale, (label.y + label.size * 0.35) * self._scale),
            label.text.translate(_AS_TYPED),
            _rgba(label.colour),
            font,
            anchor="ms" if label.centred else "ls",
        )


def _mixed(first: Colour, second: Colour, part: float) -> Colour:
    red, green, blue = (
        round(one + (other - one) * part) for one, other in zip(first[:3], second[:3], strict=True)
    )
    return red, green, blue, first[3] + (second[3] - first[3]) * part


def _rgba(colour: Colour) -> tuple[int, int, int, int]:
    return (*colour[:3], round(255 * colour[3]))
