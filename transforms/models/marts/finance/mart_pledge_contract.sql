-- grain: one row a month (the current and the 11 before) and pledge contract in force at its end
{# A surplus of one contract makes up for no shortfall of another: shortfalls add up, coverage is a quotient of sums. #}
with known as (
    {{ last_twelve_months() }}
),

goods_values as (
    select
        month,
        contract_id,
        sum(quantity) as quantity,
        sum(missing_quantity) as missing_quantity,
        sum(agreed_amount) as agreed_amount,
        sum(pledge_value) as pledge_value
    from {{ ref('mart_pledge_goods') }}
    group by month, contract_id
)

select
    known.month,
    {{ month_label('known.month') }} as month_label,
    contract.company_id,
    company.company_name,
    contract.contract_id,
    contract.contract_no,
    contract.lender,
    contract.starts_on,
    contract.ends_on,
    case
        when contract.released_on <= {{ as_of() }} then '已解押'
        when contract.ends_on < {{ as_of() }} then '逾期'
        else '在押'
    end as state,
    contract.haircut,
    contract.loan_amount,
    {{ quantity('coalesce(goods_values.quantity, 0)') }} as quantity,
    {{ quantity('coalesce(goods_values.missing_quantity, 0)') }} as missing_quantity,
    {{ money('coalesce(goods_values.agreed_amount, 0)') }} as agreed_amount,
    {{ money('greatest(contract.loan_amount - coalesce(goods_values.agreed_amount, 0), 0)') }} as agreed_shortfall,
    {{ money('coalesce(goods_values.pledge_value, 0)') }} as pledge_value,
    {{ money('greatest(contract.loan_amount - coalesce(goods_values.pledge_value, 0), 0)') }} as shortfall
from {{ ref('fct_pledge_contract') }} as contract
inner join known
    on contract.starts_on <= known.last_day and coalesce(contract.released_on, {{ open_end() }}) > known.last_day
left join goods_values
    on contract.contract_id = goods_values.contract_id and known.month = goods_values.month
left join {{ ref('dim_company') }} as company
    on contract.company_id = company.company_id
