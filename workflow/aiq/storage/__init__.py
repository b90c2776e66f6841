"""The only reader and writer of files: HDF5 shards and results, CSV tables; versioned, atomic, validated."""

from aiq.storage.records import read_control_domain as read_control_domain
from aiq.storage.records import read_domain as read_domain
from aiq.storage.records import read_result as read_result
from aiq.storage.records import write_control_domain as write_control_domain
from aiq.storage.records import write_domain as write_domain
from aiq.storage.records import write_result as write_result
from aiq.storage.tables import RawTable as RawTable
from aiq.storage.tables import Source as Source
from aiq.storage.tables import called as called
from aiq.storage.tables import is_empty as is_empty
from aiq.storage.tables import place as place
from aiq.storage.tables import read_published as read_published
from aiq.storage.tables import read_raw as read_raw
from aiq.storage.tables import read_table as read_table
from aiq.storage.tables import read_words as read_words
from aiq.storage.tables import render as render
from aiq.storage.tables import write_table as write_table
from aiq.storage.tree import AS_COLUMNS as AS_COLUMNS
