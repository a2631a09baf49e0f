-- grain: one row a month, company, factory, symptom and goods: what was paid to customers, what their factory settled
select
    {{ month_of('line.business_date') }} as month,
    {{ month_label('line.business_date') }} as month_label,
    line.company_id,
    company.company_name,
    line.supplier_id,
    coalesce(supplier.supplier_name, '未指定') as supplier_name,
    line.symptom_id,
    coalesce(symptom.symptom_name, '未指定') as symptom_name,
    line.goods_id,
    goods.goods_num,
    goods.goods_name,
    -- A goods without a brand is asked for as that of none.
    coalesce(item.brand_id, -1) as brand_id,
    goods.brand_name,
    goods.type1_name,
    goods.specification_type,
    goods.pattern,
    {{ quantity('sum(line.compensated_quantity)') }} as compensated_quantity,
    {{ money('sum(line.compensation_amount)') }} as compensation_amount,
    {{ quantity('sum(line.factory_quantity)') }} as factory_quantity,
    {{ money('sum(line.factory_amount)') }} as factory_amount
from {{ ref('fct_guarantee_line') }} as line
inner join {{ ref('dim_goods') }} as goods
    on line.goods_id = goods.goods_id
inner join {{ ref('master_goods') }} as item
    on line.goods_id = item.goods_id
{{ join_dimensions('line', ['company', 'supplier']) }}
left join {{ ref('master_symptom') }} as symptom
    on line.symptom_id = symptom.symptom_id
where {{ is_of('line.bill_type', 'claim') }} and line.business_date <= {{ as_of() }}
group by
    {{ month_of('line.business_date') }}, {{ month_label('line.business_date') }}, line.company_id,
    company.company_name, line.supplier_id, supplier.supplier_name, line.symptom_id, symptom.symptom_name,
    line.goods_id, goods.goods_num, goods.goods_name, item.brand_id, goods.brand_name, goods.type1_name,
    goods.specification_type, goods.pattern
