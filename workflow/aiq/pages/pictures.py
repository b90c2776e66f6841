"""Pictures and data inside one file."""

from __future__ import annotations

import base64
import gzip
import io
from importlib import resources

from PIL import Image

DPI = 200  # of the figures' PNGs
WIDEST = 1400


def picture(png: bytes, room: int) -> tuple[str, int, int] | None:
    """Return a picture as a data URI with its width and height in CSS pixels at 96 dots an inch.

    It is made smaller where it is wider than the page; None where even then it takes more than ``room`` bytes.
    """
    image = Image.open(io.BytesIO(png))
    width, height = (round(side * 96 / DPI) for side in image.size)
    small = image.convert("RGB")
    if small.width > WIDEST:
        small = small.resize((WIDEST, max(1, round(small.height * WIDEST / small.width))), Image.Resampling.LANCZOS)
    if max(small.size) > 16000:
        return None
    stream = io.BytesIO()
    small.save(stream, "WEBP", quality=80, method=4)
    if stream.tell() > room:
        return None
    return f"data:image/webp;base64,{base64.b64encode(stream.getvalue()).decode()}", width, height


def packed(data: bytes) -> str:
    """Return bytes compressed and written with letters; the same bytes give the same letters."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def library() -> str:
    """Return plotly.js, as the package plotly ships it, packed."""
    return packed(resources.files("plotly").joinpath("package_data", "plotly.min.js").read_bytes())


def asset(name: str) -> str:
    """Return a file of the page's own: its style or script."""
    return resources.files("aiq.pages").joinpath("assets", name).read_text(encoding="utf-8")
