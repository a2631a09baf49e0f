"""Printing (打印): templates, bills on paper, labels of goods."""
