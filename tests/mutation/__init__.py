"""Planted faults (变异): whether the tests find each of sixty, one at a time: `make mutants`."""
