"""Risk (风控): what stock, bills and partners are watched for."""
