"""What all settings are made of: strict models, and one sentence for what is refused."""

from aiq.settings.base import Settings as Settings
from aiq.settings.base import default_of as default_of
from aiq.settings.base import refuse_outside as refuse_outside
from aiq.settings.base import validate as validate
