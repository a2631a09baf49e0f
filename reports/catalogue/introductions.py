"""Names that the API and Superset share when the API introduces guests and analysts (引荐)."""

GUEST_AUDIENCE = "erp-report-frames"
GUEST_ROLE = "ReportGuest"
FILE_GUEST_ROLE = "ReportFileGuest"
"""Role of guests who may also export files."""
EXPLORER_AUDIENCE = "erp-report-explorers"
EXPLORER_ROLE = "Explorer"
EXPLORER_HEADER = "X-Explorer-Token"
