"""Pictures in one folder per class, either below train/ and test/ or split here; grey from colour, and one size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from aiq.domains.base import DataSheet, LabelledDomain, Request, locate
from aiq.domains.family import Family, Sizes
from aiq.domains.labelled.settings import OwnFiles, TestShare
from aiq.domains.labelled.splits import split
from aiq.errors import DomainError

if TYPE_CHECKING:
    from PIL import Image

Pictures = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int64]
SUFFIXES = (".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")
_GREY_MODES = ("1", "L", "LA")
_COLOUR_MODES = ("P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr", "HSV", "LAB")


class ImageFolder(OwnFiles):
    """Pictures in one folder per class, either below train/ and test/ or split here."""

    source: Literal["image_folder"] = Field(description="the source: image_folder")
    labels: str | None = Field(None, description="name of the label space; folders that share it share labels")
    test_fraction: TestShare = Field(0.25, description="share held out where there are no train/ and test/ folders")

    @property
    def label_space(self) -> str:
        """The named space, else one of the folder's own."""
        return f"image_folder:{self.labels or self.path}"


def _class_folders(folder: Path) -> list[str]:
    return sorted(child.name for child in folder.iterdir() if child.is_dir() and not child.name.startswith("."))


def _places(folder: Path) -> tuple[bool, Path, list[str]]:
    """Return whether splits are given by folders, where the training split lies, and the names of its classes."""
    if not folder.is_dir():
        raise DomainError(f"{folder} is no folder: path names a folder with one folder per class")
    divided = (folder / "train").is_dir() and (folder / "test").is_dir()
    place = folder / "train" if divided else folder
    classes = _class_folders(place)
    if len(classes) < 2:
        raise DomainError(
            f"the folder {place} holds {len(classes)} class folders, at least 2 are needed: one folder per class, "
            "pictures inside"
        )
    return divided, place, classes


def check(settings: ImageFolder, request: Request) -> None:
    """Refuse what is no folder of at least two folders of classes, without reading a picture."""
    _places(locate(settings.path, request, "folder of pictures"))


@dataclass(frozen=True, eq=False)
class _Listing:
    """Files of pictures and their labels, and how many other files lie beside them."""

    files: list[Path]
    y: Labels
    others: int = 0

    def keep(self, rows: Labels) -> _Listing:
        return _Listing([self.files[row] for row in rows], self.y[rows])


def _list_files(folder: Path, classes: list[str]) -> _Listing:
    files: list[Path] = []
    labels: list[int] = []
    others = 0
    for label, name in enumerate(classes):
        inside = folder / name
        children = sorted(child for child in inside.rglob("*") if child.is_file() and not child.name.startswith("."))
        pictures = [child for child in children if child.suffix.lower() in SUFFIXES]
        others += len(children) - len(pictures)
        files += pictures
        labels += [label] * len(pictures)
    return _Listing(files, np.array(labels, np.int64), others)


def _open(path: Path) -> Image.Image:
    """Open a picture's header and check that its kind can be read without loss of meaning."""
    from PIL import Image

    try:
        picture = Image.open(path)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise DomainError(f"the picture {path} cannot be read ({error}): replace or remove it") from error
    if picture.mode not in _GREY_MODES + _COLOUR_MODES:
        picture.close()
        raise DomainError(f"the picture {path} has mode {picture.mode}: convert it to 8 bits a channel")
    return picture


def _is_colour(path: Path) -> bool:
    with _open(path) as picture:
        return picture.mode in _COLOUR_MODES


def _read(path: Path, colour: bool, size: int | None) -> Pictures:
    """Read one picture as (C, H, W), turned as its camera says, brought to ``size`` if that is given."""
    from PIL import Image, ImageOps

    with _open(path) as picture:
        try:
            upright = ImageOps.exif_transpose(picture)
            array = np.asarray(upright.convert("RGB" if colour else "L"), np.uint8)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise DomainError(f"the picture {path} cannot be read ({error}): replace or remove it") from error
    channels = array.transpose(2, 0, 1) if colour else array[np.newaxis]
    return channels if size is None else fit(channels[np.newaxis], size)[0]


def _read_all(files: list[Path], colour: bool, size: int | None) -> Pictures:
    first = _read(files[0], colour, size)
    pictures = np.empty((len(files), *first.shape), np.uint8)
    for number, path in enumerate(files):
        picture = _read(path, colour, size)
        if picture.shape != first.shape:
            raise DomainError(
                f"the picture {path} has {picture.shape[2]}x{picture.shape[1]} pixels and {files[0]} has "
                f"{first.shape[2]}x{first.shape[1]}: set size to bring all to one size"
            )
        pictures[number] = picture
    return pictures


def _check_pictures(folder: Path, classes: list[str], labels: Labels) -> None:
    empty = np.flatnonzero(np.bincount(labels, minlength=len(classes)) == 0)
    if len(empty):
        raise DomainError(
            f"the folder {folder / classes[empty[0]]} holds no pictures: read are files ending in {', '.join(SUFFIXES)}"
        )


def _gather(folder: Path, settings: ImageFolder, request: Request) -> tuple[list[str], _Listing, _Listing, list[str]]:
    """List the pictures of both splits: names of the classes, training part, test part, notes."""
    divided, place, classes = _places(folder)
    listed = _list_files(place, classes)
    _check_pictures(place, classes, listed.y)
    others = listed.others
    if divided:
        unknown = sorted(set(_class_folders(folder / "test")) - set(classes))
        if unknown:
            raise DomainError(f"the class folder {folder / 'test' / unknown[0]} has no counterpart below train")
        train, test = listed, _list_files(folder / "test", classes)
        if not test.files:
            raise DomainError(f"the folder {folder / 'test'} holds no pictures")
        notes = ["split given by the folders train and test"]
        others += test.others
    else:
        train_rows, test_rows = split(listed.y, settings.test_fraction, request.root_seed, *request.key, "split")
        train, test = listed.keep(train_rows), listed.keep(test_rows)
        notes = [f"seeded stratified split, {settings.test_fraction:g} of the samples are the test split"]
    if others:
        notes.append(f"{others} files that are no pictures by their names were not read")
    return classes, train, test, notes


def held(settings: ImageFolder, request: Request) -> Sizes | None:
    """Return what a folder holds, by the names of its files and the size of one picture; None where it is unfit.

    Raises:
        DomainError: there is no such folder.
    """
    folder = locate(settings.path, request, "folder of pictures")
    try:
        divided, place, classes = _places(folder)
        files = _list_files(place, classes).files
        with _open(files[0]) as picture:
            channels = 3 if picture.mode in _COLOUR_MODES and not settings.grey else 1
            shape = (channels, picture.height, picture.width)
    except (OSError, IndexError, DomainError):
        return None
    test = len(_list_files(folder / "test", classes).files) if divided else round(settings.test_fraction * len(files))
    return Sizes(len(files) - (0 if divided else test), test, len(classes), shape)


def load_image_folder(settings: ImageFolder, request: Request) -> LabelledDomain:
    """Load pictures; classes are numbered in the order of their folders' names.

    Pictures are brought to ``size`` and made grey while they are read, so that memory holds the final ones
    only. If one picture has colour and grey is not set, all are read as colour.
    """
    folder = locate(settings.path, request, "folder of pictures")
    classes, train, test, notes = _gather(folder, settings, request)
    files = train.files + test.files
    colour = not settings.grey and any(_is_colour(path) for path in files)
    notes.append("colour, transparency dropped" if colour else "grey")
    pictures = _read_all(files, colour, settings.size)
    sheet = DataSheet(
        description=f"Pictures of {len(classes)} classes in the folder {folder.name}",
        source=settings.path,
        licence=settings.licence,
        class_names=tuple(classes),
        notes=tuple(notes),
    )
    train_x, test_x = pictures[: len(train.files)], pictures[len(train.files) :]
    return LabelledDomain(request.name, train_x, train.y, test_x, test.y, settings.label_space, len(classes), sheet)


FAMILY = Family(
    ImageFolder,
    load_image_folder,
    "pictures in one folder per class",
    "images (1 or 3, H, W)",
    ("PIL",),
    {"source": "image_folder", "path": "my-pictures", "size": 32, "grey": True},
)


# ---- Grey from colour, padded or averaged to a square ---------------------------------------------


_CHUNK = 1024
_LUMA = (19595, 38470, 7471)


def to_grey(x: Pictures) -> Pictures:
    """Turn colour pictures (n, 3, H, W) grey: 0.299 R + 0.587 G + 0.114 B (luma of ITU-R BT.601), rounded.

    The weights are those of 16-bit fixed-point arithmetic, so the result equals Pillow's mode L; grey ones stay.
    """
    if x.shape[1] == 1:
        return x
    if x.shape[1] != 3:
        raise DomainError(f"grey needs pictures of 1 or 3 channels, these have {x.shape[1]}: leave grey out")
    grey = np.empty((len(x), 1, *x.shape[2:]), np.uint8)
    for start in range(0, len(x), _CHUNK):
        part = x[start : start + _CHUNK]
        total = np.full((len(part), *x.shape[2:]), 0x8000, np.uint32)
        for channel, weight in enumerate(_LUMA):
            total += part[:, channel].astype(np.uint32) * np.uint32(weight)
        grey[start : start + len(part), 0] = total >> 16
    return grey


def _averaging(old: int, new: int) -> npt.NDArray[np.float32]:
    """Return the matrix, shape (new, old), whose row i averages the stretch [i, i + 1) · old / new of a line."""
    edges = np.arange(new + 1) * (old / new)
    pixel = np.arange(old)
    overlap = np.minimum(edges[1:, None], pixel + 1) - np.maximum(edges[:-1, None], pixel)
    shares: npt.NDArray[np.float32] = (np.clip(overlap, 0, None) * (new / old)).astype(np.float32)
    return shares


def _shrink(x: Pictures, height: int, width: int) -> Pictures:
    down, across = _averaging(x.shape[2], height), _averaging(x.shape[3], width).T
    small = np.empty((*x.shape[:2], height, width), np.uint8)
    for start in range(0, len(x), _CHUNK):
        part = x[start : start + _CHUNK].astype(np.float32)
        small[start : start + len(part)] = np.rint(down @ part @ across)
    return small


def fit(x: Pictures, size: int) -> Pictures:
    """Bring pictures (n, C, H, W) to size x size pixels without distorting them.

    A picture that is longer or wider is first made smaller by averaging over areas, its longer side to ``size``. What
    is then missing is padded with zeros, the picture in the middle (one more row below or column to the right where the
    difference is odd). No picture is enlarged.
    """
    height, width = x.shape[2:]
    longer = max(height, width)
    if longer > size:
        x = _shrink(x, max(1, round(height * size / longer)), max(1, round(width * size / longer)))
        height, width = x.shape[2:]
    if (height, width) == (size, size):
        return x
    top, left = (size - height) // 2, (size - width) // 2
    padded = np.zeros((*x.shape[:2], size, size), np.uint8)
    padded[:, :, top : top + height, left : left + width] = x
    return padded
