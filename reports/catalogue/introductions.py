"""How the API introduces guests of frames and analysts to Superset (引荐): both sides name these alike."""

GUEST_AUDIENCE = "erp-report-frames"
GUEST_ROLE = "ReportGuest"
FILE_GUEST_ROLE = "ReportFileGuest"
"""Of who may also take what he sees as a file."""
EXPLORER_AUDIENCE = "erp-report-explorers"
EXPLORER_ROLE = "Explorer"
EXPLORER_HEADER = "X-Explorer-Token"
