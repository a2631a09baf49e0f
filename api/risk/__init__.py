"""Risk (风控): watches over stock, bills and partners."""
