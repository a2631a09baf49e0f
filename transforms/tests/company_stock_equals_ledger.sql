-- A company's stock and its value, now and at the ends of last month and of last year's same month, are what its ledger sums to; aged is part of it.
with signed as (
    select
        company_id,
        quantity,
        value,
        last_month_quantity,
        last_month_value,
        last_year_quantity,
        last_year_value
    from {{ ref('mart_company_stock') }}
    union all
    select
        company_id,
        -quantity,
        -amount,
        case when business_date < {{ month_of(as_of()) }} then -quantity else 0 end,
        case when business_date < {{ month_of(as_of()) }} then -amount else 0 end,
        case when business_date < {{ add_months(month_of(as_of()), -11) }} then -quantity else 0 end,
        case when business_date < {{ add_months(month_of(as_of()), -11) }} then -amount else 0 end
    from {{ ref('stg_stock_ledger') }}
    where business_date <= {{ as_of() }}
),

aged as (
    select company_id, aged_90_quantity as over_90, aged_180_quantity as over_180 from {{ ref('mart_company_stock') }}
    union all
    select
        company_id,
        case when age_days > 90 then -quantity else 0 end,
        case when age_days > 180 then -quantity else 0 end
    from {{ ref('mart_inventory_aging') }}
    where month = {{ month_of(as_of()) }}
)

select company_id, sum(quantity) as quantity, sum(value) as value
from signed
group by company_id
having
    sum(quantity) <> 0
    or sum(value) <> 0
    or sum(last_month_quantity) <> 0
    or sum(last_month_value) <> 0
    or sum(last_year_quantity) <> 0
    or sum(last_year_value) <> 0
union all
select company_id, sum(over_90), sum(over_180)
from aged
group by company_id
having sum(over_90) <> 0 or sum(over_180) <> 0
