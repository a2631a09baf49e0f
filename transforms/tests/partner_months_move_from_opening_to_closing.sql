-- Of each partner's month: opening + increases − settled − offset = closing, which is the next month's opening.
with moved as (
    select
        *,
        opening_amount + delivery_amount - return_amount + other_amount - settled_amount - offset_amount as made,
        lead(opening_amount) over (partition by company_id, party_type, party_id order by month) as next_opening,
        lead(month) over (partition by company_id, party_type, party_id order by month) as next_month
    from {{ ref('fct_partner_month') }}
)

select company_id, party_type, party_id, month, closing_amount, made, next_opening
from moved
where
    made <> closing_amount
    or (next_month = {{ add_months('month', 1) }} and next_opening <> closing_amount)
