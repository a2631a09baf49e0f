"""Import of bills from files (单据导入): read, check every line, then post through the bulk posting of bills."""
