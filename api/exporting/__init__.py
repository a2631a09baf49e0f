"""Report export (报表导出): whole reports as Excel details, Excel pivots and PDF, all of one snapshot,
complete and within the role's data scope."""
