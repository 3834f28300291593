"""export: evidence in files of other programs, of one receipt or of every receipt of a record.

receipt -> schema -> the track's part `exports` -> text, or files           (`receipt`)
Snapshot -> verify everything -> History -> rows of each body -> a file     (`record`)
"""

from benchsite.pipeline.export.files import FORMATS, Written, write
from benchsite.pipeline.export.receipt import ExportedEvidence, export, export_evidence
from benchsite.pipeline.export.record import ExportedRecord

__all__ = ["FORMATS", "ExportedEvidence", "ExportedRecord", "Written", "export", "export_evidence", "write"]
