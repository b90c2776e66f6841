"""The page of a run: one HTML file that needs no network, from tables, pictures and words.

``Page`` holds what stands on it, section by section; :func:`render` gives the file. Every figure is its still picture;
the intelligence space can be turned besides (:func:`turnable`). Every measure has its page from the same parts. No
file is opened here.
"""

from aiq.pages.parts import Numbers as Numbers
from aiq.pages.parts import Opening as Opening
from aiq.pages.parts import Page as Page
from aiq.pages.parts import PageFigure as PageFigure
from aiq.pages.parts import Section as Section
from aiq.pages.parts import Sources as Sources
from aiq.pages.parts import turnable as turnable
from aiq.pages.parts import undecided as undecided
from aiq.pages.rendering import LIMIT as LIMIT
from aiq.pages.rendering import render as render
