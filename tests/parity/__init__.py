"""The same dbt project on a second engine."""
