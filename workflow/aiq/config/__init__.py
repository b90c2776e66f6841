"""Typed configuration: from a raw mapping to checked settings, their fingerprints and their schema."""

from aiq.config.base import RunSettings as RunSettings
from aiq.config.base import fingerprint as fingerprint
from aiq.config.load import load as load
from aiq.config.load import parse as parse
from aiq.config.load import parse_any as parse_any
from aiq.config.load import read as read
from aiq.config.load import schema as schema
from aiq.config.suite import Configuration as Configuration
from aiq.settings import Settings as Settings
from aiq.settings import validate as validate
