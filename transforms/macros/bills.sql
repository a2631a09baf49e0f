{# Whether a bill of a status counts: audited, and maybe closed or locked since. #}
{% macro is_posted(status) -%}
    {{ status }} in (2, 4, 5)
{%- endmacro %}

{#
    Bill types of a kind as [prefix, document]: the table that they are kept in; those of sales and purchases with the sign
    by which they count. A test compares them with the product's. What one type alone does is said by its prefix.
#}
{% macro bill_types(kind) -%}
    {%- set types = {
        'sale': [['XSCK', 'sales_outbound', 1], ['XSTH', 'sales_return', -1]],
        'purchase': [['CGRK', 'purchase_inbound', 1], ['CGTH', 'purchase_return', -1]],
        'transfer': [
            ['DBCK', 'transfer_out'], ['DBRK', 'transfer_in'], ['XSDB', 'sales_transfer'], ['TCYK', 'location_move']
        ],
        'stocktake': [['PYRK', 'stock_surplus'], ['PKCK', 'stock_loss'], ['PYCK', 'surplus_out']],
        'registration': [['SBDJ', 'guarantee_register']],
        'guarantee': [['TBRK', 'three_inbound'], ['TBCK', 'three_outbound'], ['TBTH', 'tire_back']],
        'claim': [['GSLP', 'company_claim'], ['CJLP', 'factory_claim']],
        'other_moves': [['QTRK', 'other_inbound'], ['QTCK', 'other_outbound'], ['QTFH', 'other_delivery']],
    } -%}
    {{ return(types[kind]) }}
{%- endmacro %}

{# The prefixes of the bill types of a kind. #}
{% macro bill_prefixes(kind) -%}
    {{ return(bill_types(kind) | map(attribute=0) | list) }}
{%- endmacro %}

{# Whether a bill is of a kind. #}
{% macro is_of(bill_type, kind) -%}
    {{ bill_type }} in ({{ quote_names(bill_prefixes(kind)) }})
{%- endmacro %}
