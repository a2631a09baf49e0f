{# Rows that share the values of `columns` with another row. #}
{% test unique_together(model, columns) %}
select {{ columns | join(', ') }}, count(*) as number
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
{% endtest %}
