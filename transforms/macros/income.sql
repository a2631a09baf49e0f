{# Lines of the income statement in their order as [item, name]; amounts are what they add to the result. #}
{% macro income_items() -%}
    {{ return([
        ['revenue', '营业收入'],
        ['sales_cost', '销售成本'],
        ['adjustment', '成本调整'],
        ['return_variance', '采购退货差异'],
        ['stocktake', '盘点盈亏'],
        ['guarantee', '三包损益'],
        ['supplier_rebate', '供应商返利（已确认）'],
        ['customer_rebate', '客户返利（已确认）'],
        ['other_moves', '其他出入库'],
        ['claims', '三包理赔净支出'],
        ['freight', '配送运费'],
        ['customer_waiver', '给客户的现金折扣（抹零）'],
        ['supplier_waiver', '供应商给的现金折扣（抹零）'],
    ]) }}
{%- endmacro %}

{# Bill types whose moves change the result by what they are worth, by line. #}
{% macro income_moves() -%}
    {{ return([
        ['stocktake', bill_prefixes('stocktake')],
        ['guarantee', bill_prefixes('guarantee')],
        ['other_moves', bill_prefixes('other_moves')],
    ]) }}
{%- endmacro %}

{% macro quote_names(names) -%}
    '{{ names | join("', '") }}'
{%- endmacro %}
