"""Import of bills from files (单据导入)."""
