"""Reports (报表): the Superset gateway, the published snapshot, dashboards and list reports."""
