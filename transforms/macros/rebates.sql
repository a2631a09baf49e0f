{#
    The goods that policies are about, as CTEs: `rules` of the policies that the CTE `policies` names, and `meant`, the
    goods of those rules. A policy without rules is about all goods.
#}
{% macro goods_of_policies(policy_goods, policies) -%}
rules as (
    select rule.*
    from {{ ref(policy_goods) }} as rule
    where rule.policy_id in (select policy.policy_id from {{ policies }} as policy)
),

goods_types as (
    select
        goods.goods_id,
        goods.brand_id,
        leaf.goods_type_id as type_id,
        leaf.parent_id,
        parent.parent_id as grandparent_id
    from {{ ref('stg_goods') }} as goods
    left join {{ ref('stg_goods_type') }} as leaf
        on goods.goods_type_id = leaf.goods_type_id
    left join {{ ref('stg_goods_type') }} as parent
        on leaf.parent_id = parent.goods_type_id
),

meant as (
    select policy_id, goods_id
    from rules
    where goods_id is not null
    {% for rule, column in [
        ('brand_id', 'brand_id'), ('goods_type_id', 'type_id'), ('goods_type_id', 'parent_id'),
        ('goods_type_id', 'grandparent_id')
    ] %}
    union
    select rules.policy_id, goods.goods_id
    from rules
    inner join goods_types as goods
        on rules.{{ rule }} = goods.{{ column }}
    {% endfor %}
)
{%- endmacro %}

{#
    Lines of purchases or sales (`facts`) and the day on which they count for policies, `earned_on`: a return's is that
    of the line of `bill_type` that it gives back, which `returns` names, and its own where it names none.
#}
{% macro lines_of_policies(facts, returns, bill_type) -%}
    select
        line.*,
        least(line.business_date, coalesce(origin.business_date, line.business_date)) as earned_on
    from {{ ref(facts) }} as line
    left join {{ ref(returns) }} as back
        on line.bill_type <> '{{ bill_type }}' and line.line_id = back.line_id
    left join {{ ref(facts) }} as origin
        on back.source_line_id = origin.line_id and origin.bill_type = '{{ bill_type }}'
{%- endmacro %}
