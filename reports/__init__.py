"""Report platform (报表平台): catalogue, Superset assets, Superset's configuration, security and patches.

`catalogue`, `metadata` and `health` are standard library only, so that the core reads them too; the other
modules run in Superset's environment.
"""
