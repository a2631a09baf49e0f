"""Money and accounting (资金与账务): month and year closes."""
