"""How the API introduces guests of frames and analysts to Superset (引荐): both sides name these alike."""

GUEST_AUDIENCE = "erp-report-frames"
GUEST_ROLE = "ReportGuest"
EXPLORER_AUDIENCE = "erp-report-explorers"
EXPLORER_ROLE = "Explorer"
EXPLORER_HEADER = "X-Explorer-Token"
