"""报表平台：报表目录、Superset 资产、Superset 的配置与安全管理。

`catalogue`, `metadata` and `health` are standard library only, so that the core reads them too; the other modules run
in Superset's environment.
"""
