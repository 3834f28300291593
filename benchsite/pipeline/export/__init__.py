"""export: evidence in files of other programs, of one receipt or of every receipt of a record.

receipt -> schema -> the track's part `exports` -> text                     (`receipt`)
Snapshot -> verify everything -> History -> rows of each body -> a file     (`record`)
"""

from benchsite.pipeline.export.files import FORMATS, Written, write
from benchsite.pipeline.export.receipt import export
from benchsite.pipeline.export.record import ExportedRecord

__all__ = ["FORMATS", "ExportedRecord", "Written", "export", "write"]
