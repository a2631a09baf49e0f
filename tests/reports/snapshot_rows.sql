-- The rows of a small published snapshot: two companies, three warehouses, four roles. What columns its tables have, and
-- of what types, `tests/support/report_snapshot.py` reads from the marts' contracts: a column without a value here is null there,
-- and one that no contract has is left out, as are the tables that only these rows are made of.
-- Role 1 sees everything with cost, 2 company 1 with cost, 3 company 2 without cost, 4 nothing.
create table dim_company as
select * from (values (1, '上海公司', '服务站'), (2, '苏州公司', '服务站')) as t(company_id, company_name, company_type);
create table dim_warehouse as
select * from (values (11, '上海中心仓', 1, true), (12, '上海残次仓', 1, false), (21, '苏州中心仓', 2, true))
    as t(warehouse_id, warehouse_name, company_id, is_sellable);
create table place as
select w.company_id, c.company_name, w.warehouse_id, w.warehouse_name
from dim_warehouse as w inner join dim_company as c using (company_id);
create table firm as
select company_id, company_name from dim_company;
create table item as
select
    i as goods_id, 'G00' || i as goods_num, ['205/55R16 静音', '12R22.5 耐磨', '机油滤芯'][i] as goods_name,
    ['米其林', '玲珑', '博世'][i] as brand_name, ['轿车胎', '卡客车胎', '配件'][i] as type1_name,
    '二级' as type2_name, '三级' as type3_name, ['205/55R16', '12R22.5', ''][i] as specification_type,
    'P' || i as pattern, '条' as unit_name, i + 30 as goods_type_id, i as brand_id, i * 100 as price
from range(1, 4) as t(i);

create table dim_goods as
select * exclude (price) from item;
create table brand as
select brand_id, brand_name from item;
create table goods_type as
select goods_type_id - 20 as goods_type_id, type1_name as goods_type_name, null as p_id, 1 as "level" from item
union all
select goods_type_id - 10, '二级', goods_type_id - 20, 2 from item
union all
select goods_type_id, '三级', goods_type_id - 10, 3 from item;
create table dim_department as
select company_id as department_id, '销售部' as department_name from dim_company where company_id = 1;
create table dim_employee as
select company_id as employee_id, '张伟' as employee_name from dim_company where company_id = 1;
create table dim_customer as
select company_id * 10 as customer_id, company_name || '的客户' as customer_name from dim_company;
create table supplier as
select company_id * 10 + 1 as supplier_id, company_name || '的厂家' as supplier_name from dim_company;
create table symptom as
select * from (values (1, '胎侧鼓包')) as t(symptom_id, symptom_name);

create table role_company_scope as
select * from (values (1, 1), (1, 2), (2, 1), (3, 2)) as t(role_id, company_id);
create table role_warehouse_scope as
select s.role_id, w.company_id, w.warehouse_id from role_company_scope as s inner join dim_warehouse as w using (company_id);
create table role_cost_scope as select * from role_company_scope where role_id in (1, 2);
create table role_cost_warehouse_scope as select * from role_warehouse_scope where role_id in (1, 2);
create table refreshed_at as
select timestamptz '2026-11-20 09:30:05+00' as refreshed_at, 1 as "snapshot", 10 as last_xid,
    date '2026-11-20' as as_of;

create table period as
select 'month' as period_kind, strftime(m, '%Y-%m') as period_label, cast(m as date) as period_start, 30 as days
from generate_series(date '2025-10-01', date '2026-11-01', interval 1 month) as t(m)
union all
select 'week', strftime(m, '%G年第%V周'), cast(m as date), 7
from generate_series(date '2025-10-06', date '2026-11-16', interval 7 day) as t(m);

create table dim_date as
select cast(d as date) as "day" from generate_series(date '2025-01-01', date '2026-12-31', interval 1 day) as t(d);
create table dim_past_due_bucket as
select * from (values (1, '未到期', 0), (2, '1–30天', 30), (3, '31–60天', 60), (4, '61–90天', 90), (5, '91–180天', 180), (6, '180天以上', null))
    as t(bucket_order, bucket, last_day);

create table mart_turnover_period as
select
    p.*, s.*, i.type1_name, i.brand_name, 100.0 as opening_value, 100.0 as closing_value, 5.0 as closing_quantity,
    i.price * 5.0 * p.days as value_days, 5.0 * p.days as quantity_days, i.price * 2.0 as sales_cost,
    2.0 as sales_quantity
from period as p cross join place as s cross join item as i;
create table mart_inventory_turnover as
select
    p.period_start, p.period_label, p.days, s.*, i.goods_id, i.goods_num, i.goods_name, i.brand_name, i.type1_name,
    i.specification_type, i.price * 5.0 * p.days as value_days, 5.0 * p.days as quantity_days,
    i.price * 2.0 as sales_cost, 2.0 as sales_quantity, 5.0 as closing_quantity, i.price * 5.0 as closing_value
from period as p cross join place as s cross join item as i
where p.period_kind = 'month';
create table mart_inventory_aging as
select
    n."month", strftime(n."month", '%Y-%m') as month_label, n.as_of, s.*, i.* exclude (price), b.batch_id, b.batch, date '2026-11-20' - b.age as receipt_date,
    b.age as age_days, b.bucket, b.bucket_order, b.dot_week, b.dot_weeks, b.dot_bucket, b.dot_bucket_order,
    4.0 as quantity, i.price * 4.0 as "value"
from place as s cross join item as i
cross join (
    values
    (10, '0–30天', 1, 1, '2626', '2026年第26周', 21, '26周以内', 1),
    (100, '91–180天', 4, 2, '2625', '2025年第26周', 73, '53–104周', 3),
    (400, '365天以上', 6, 0, '无', '未知', null, '未知', 6)
) as b(age, bucket, bucket_order, batch_id, batch, dot_week, dot_weeks, dot_bucket, dot_bucket_order)
cross join (
    values (date '2026-11-01', date '2026-11-20'), (date '2026-10-01', date '2026-10-31'), (date '2025-11-01', date '2025-11-30')
) as n("month", as_of);
create table mart_stock_age_month as
select
    "month", month_label, company_id, company_name, warehouse_id, warehouse_name, type1_name, brand_name, bucket, bucket_order,
    sum(quantity) as quantity, sum("value") as "value"
from mart_inventory_aging group by all;
create table mart_sluggish_stock as
select
    date '2026-11-01' as "month", '2026-11' as month_label, t.days as threshold_days, t.days || '天以上' as threshold, s.*, i.* exclude (price),
    case when t.days < 400 then 400 end as oldest_days,
    12.0 as stock_quantity, i.price * 12.0 as stock_value, t.sluggish as sluggish_quantity,
    i.price * t.sluggish as sluggish_value, 0.0 as coming_quantity, 0.0 as coming_value
from place as s cross join item as i
cross join (values (30, 8.0), (60, 8.0), (90, 8.0), (180, 4.0), (365, 4.0)) as t(days, sluggish);
create table mart_goods_sale as
select s.company_id, s.warehouse_id, i.goods_id, date '2026-11-18' as last_sale_date, 2 as days_since_sale, 2.0 as sales_quantity_90
from place as s cross join item as i;
create table mart_goods_stock as
select
    s.*, w.is_sellable, i.* exclude (price), 12.0 as quantity, i.price * 12.0 as "value", 10.0 as last_month_quantity,
    i.price * 10.0 as last_month_value, 8.0 as last_year_quantity, i.price * 8.0 as last_year_value,
    i.goods_id - 1.0 as sales_quantity_30, i.goods_id + 1.0 as sales_quantity_90,
    1.0 as last_month_sales_quantity_30, 3.0 as last_month_sales_quantity_90, 2.0 as last_year_end_sales_quantity_30,
    4.0 as last_year_end_sales_quantity_90, 2.0 as last_year_sales_quantity_30,
    6.0 as ordered_quantity, 2.0 as late_quantity, 13.0 as reserved_quantity, i.price * 0.9 as recent_price,
    date '2026-11-18' as last_sale_date
from place as s inner join dim_warehouse as w using (warehouse_id) cross join item as i;
-- Of each company a contract that is worth its loan and one that is not, in each month.
create table mart_pledge_contract as
select
    cast(m as date) as "month", strftime(m, '%Y-%m') as month_label, c.*, c.company_id * 10 + t.number as contract_id,
    'ZYHT' || c.company_id || t.number as contract_no, '出借方' || t.number as lender, date '2025-01-01' as starts_on,
    date '2027-01-01' as ends_on, '在押' as state, 10.0 as haircut, t.loan as loan_amount, 10.0 as quantity,
    2.0 as missing_quantity, 2000.0 as agreed_amount, greatest(t.loan - 2000.0, 0.0) as agreed_shortfall,
    1500.0 as pledge_value, greatest(t.loan - 1500.0, 0.0) as shortfall
from generate_series(timestamp '2025-12-01', timestamp '2026-11-01', interval 1 month) as months(m)
cross join firm as c cross join (values (1, 1000.0), (2, 3000.0)) as t(number, loan);
create table mart_pledge_goods as
select
    p."month", p.month_label, p.company_id, p.company_name, p.contract_id, p.contract_no, p.lender, p.haircut,
    p.contract_id * 10 + i.goods_id as line_id, i.* exclude (price), i.price * 1.2 as price, i.price as unit_cost,
    10.0 as quantity, 8.0 as stock_quantity, 2.0 as missing_quantity, 2000.0 as agreed_amount, 1500.0 as pledge_value
from mart_pledge_contract as p cross join item as i where i.goods_id = 1;
create table mart_company_stock as
select
    s.*, i.type1_name, i.brand_name, 360 as year_days, 12.0 as quantity, i.price * 12.0 as "value",
    10.0 as last_month_quantity, i.price * 10.0 as last_month_value, 8.0 as last_year_quantity,
    i.price * 8.0 as last_year_value, i.price * 6.0 as inbound_value,
    i.price * 4.0 as outbound_value, 4.0 as month_sales_quantity, 24.0 as year_sales_quantity,
    i.price * 24.0 as year_sales_cost, 12.0 * 360 as year_quantity_days, i.price * 12.0 * 360 as year_value_days,
    8.0 as aged_90_quantity, i.price * 8.0 as aged_90_value, 4.0 as aged_180_quantity, i.price * 4.0 as aged_180_value
from place as s cross join item as i;
-- Each month: 3 of a goods on odd days, 7 on even ones; in the first warehouse the other way round.
create table mart_stock_occupation as
select
    d.day, d.period_start, p.period_label, day(d.day) as day_of_month, p.days, s.*, i.type1_name, i.brand_name,
    d.held as quantity, d.held * i.price as "value", case when day(d.day) = 30 then d.held else 0 end as closing_quantity,
    case when day(d.day) = 30 then d.held * i.price else 0 end as closing_value
from place as s cross join item as i
cross join lateral (
    select
        cast(m + to_days(n) as date) as "day", cast(m as date) as period_start,
        case when (n % 2 = 0) = (s.warehouse_id <> 11) then 3.0 else 7.0 end as held
    from generate_series(timestamp '2025-10-01', timestamp '2026-11-01', interval 1 month) as months(m)
    cross join range(0, 30) as numbers(n)
    where m <> timestamp '2026-02-01'
) as d
inner join period as p on p.period_kind = 'month' and p.period_start = d.period_start;
-- As of two month ends: of each company 1,000 not due, 45 and 200 days late.
create table month_end as
select * from (values (date '2026-10-01', '2026-10', date '2026-10-31'), (date '2026-11-01', '2026-11', date '2026-11-20'))
    as t("month", month_label, as_of);
create table mart_receivable_aging as
select
    e.*, c.*, c.company_id * 10 as customer_id, c.company_name || '的客户' as customer_name,
    '张伟' as employee_name, 'XSCK' as bill_type, c.company_id * 1000 + b.past as bill_id,
    'XSCK' || c.company_id || b.past as bill_no,
    date '2026-09-01' as business_date, e.as_of - b.past as due_date, b.past as days_past_due, b.bucket,
    b.bucket_order, 1000.0 as open_amount, 0.0 as advance_amount, 1000.0 as balance
from month_end as e cross join firm as c
cross join (values (0, '未到期', 1), (45, '31–60天', 3), (200, '180天以上', 6)) as b(past, bucket, bucket_order);
create table mart_payable_aging as
select
    * exclude (customer_id, customer_name, employee_name, bill_type, bill_no), customer_id + 1 as supplier_id,
    company_name || '的厂家' as supplier_name, 'CGRK' as bill_type, replace(bill_no, 'XSCK', 'CGRK') as bill_no
from mart_receivable_aging;
-- The same with their days: what the first of them stood for was settled when October ended.
create table mart_receivable_item as
select
    * exclude ("month", month_label, as_of, days_past_due, bucket, bucket_order), bill_id as settlement_id,
    false as is_unapplied, "month" as valid_from,
    case when "month" = date '2026-10-01' then as_of else date '9999-12-31' end as valid_to
from mart_receivable_aging;
create table mart_payable_item as
select
    * exclude ("month", month_label, as_of, days_past_due, bucket, bucket_order), bill_id as settlement_id,
    false as is_unapplied, "month" as valid_from,
    case when "month" = date '2026-10-01' then as_of else date '9999-12-31' end as valid_to
from mart_payable_aging;
create table mart_receivable_month as
select
    p.period_start as "month", p.period_label as month_label, c.*, c.company_id * 10 as customer_id,
    c.company_name || '的客户' as customer_name, '张伟' as employee_name, 1000.0 as opening_amount,
    900.0 as delivery_amount, 100.0 as return_amount, 50.0 as other_amount, 600.0 as settled_amount,
    50.0 as offset_amount, 1200.0 as closing_amount
from period as p cross join firm as c
where p.period_kind = 'month';
create table mart_payable_month as
select
    * exclude (customer_id, customer_name, employee_name), customer_id + 1 as supplier_id,
    company_name || '的厂家' as supplier_name
from mart_receivable_month;
-- All of a month moves on its fifth day.
create table mart_receivable_day as
select
    cast("month" + 4 as date) as "day", * exclude ("month", month_label, opening_amount, closing_amount),
    closing_amount - opening_amount as change_amount
from mart_receivable_month;
create table mart_payable_day as
select
    cast("month" + 4 as date) as "day", * exclude ("month", month_label, opening_amount, closing_amount),
    closing_amount - opening_amount as change_amount
from mart_payable_month;
-- Each month writes off a part of the same items.
create table mart_write_off as
select
    p.period_start as "month", p.period_label as month_label, c.*, t.side, c.company_id * 10 as partner_id,
    c.company_name || '的' || t.side || '方' as partner_name, cast(p.period_start + 9 as date) as business_date,
    t.bill as bill_type, c.company_id as bill_id, t.bill || c.company_id as bill_no, t.item as item_bill_type,
    c.company_id * 100 + t.held as item_bill_id, c.company_id * 100 + t.held as settlement_id,
    t.item || c.company_id || t.held as item_bill_no, cast(p.period_start + 9 - t.held as date) as item_date, cast(p.period_start + 9 - t.late as date) as due_date,
    '收付款' as manner, t.late as late_days, t.held as held_days, 500.0 as item_amount, t.amount
from period as p cross join firm as c
cross join (
    values
    ('应收', 'KHSK', 'XSCK', 30, 0, 300.0), ('应收', 'KHSK', 'XSCK', 60, 20, 100.0), ('应付', 'GYFK', 'CGRK', 45, 0, 120.0),
    ('应付', 'GYFK', 'CGRK', 45, 0, 80.0),
    ('应付', 'GYFK', 'CGFL', 5, 0, -50.0)
) as t(side, bill, item, held, late, amount)
where p.period_kind = 'month';
create table mart_write_off_month as
select
    "month", month_label, company_id, company_name, side, partner_id, partner_name, manner, sum(amount) as amount,
    coalesce(sum(amount) filter (where late_days > 0), 0) as late_amount, sum(amount * held_days) as held_days,
    sum(amount * late_days) as late_days, count(distinct bill_no) as bill_count
from mart_write_off group by all;
create table mart_trade_balance as
select
    p.period_start as "month", p.period_label as month_label, s.*, i.* exclude (price), 4.0 as purchase_quantity,
    i.price * 4.0 as purchase_value, 3.0 as sales_quantity, i.price * 3.0 as sales_cost, i.price * 4.5 as revenue
from period as p cross join place as s cross join item as i
where p.period_kind = 'month';
create table mart_trade_balance_day as
select cast("month" + 4 as date) as "day", * exclude ("month", month_label) from mart_trade_balance;
create table mart_sales_order as
select
    p.period_start as "month", p.period_label as month_label, s.*, s.company_id * 10 as customer_id,
    s.company_name || '的客户' as customer_name, '张伟' as employee_name, i.* exclude (price), i.goods_id as line_id,
    s.warehouse_id * 10 + i.goods_id as bill_id, 'XSDD' || s.warehouse_id || i.goods_id as bill_no,
    p.period_start as business_date, cast(p.period_start + 5 as date) as delivery_date,
    p.period_start + cast(i.goods_id as integer) as last_date,
    case when i.goods_id < 3 then '已发完' else '部分发货' end as state,
    case when i.goods_id < 3 then i.goods_id end as lead_days, case when i.goods_id = 3 then 10 else 0 end as late_days,
    10.0 as quantity, i.price * 10.0 as amount, case when i.goods_id = 3 then 4.0 else 10.0 end as filled_quantity,
    case when i.goods_id = 3 then 6.0 else 0.0 end as rest_quantity, 0.0 as cancelled_quantity
from period as p cross join place as s cross join item as i
where p.period_kind = 'month';
create table mart_sales_order_month as
select
    * exclude (
        line_id, bill_id, bill_no, business_date, delivery_date, last_date, lead_days, late_days, quantity, amount,
        filled_quantity, rest_quantity, cancelled_quantity
    ),
    sum(quantity) as quantity, sum(amount) as amount, sum(filled_quantity) as filled_quantity,
    sum(rest_quantity) as rest_quantity, sum(cancelled_quantity) as cancelled_quantity,
    coalesce(sum(lead_days), 0) as lead_days, count(lead_days) as lead_lines
from mart_sales_order group by all;
-- Each day 100 sold of what cost 80; each month's sums grow by the day.
create table mart_business_day as
select
    f.*, c.*, cast(d as date) as "day", strftime(d, '%Y-%m-%d') as day_label, day(d) * 100.0 as mtd_sales,
    day(d) * 80.0 as mtd_sales_cost, day(d) * 70.0 as mtd_purchase, day(d) * 60.0 as mtd_receipts,
    day(d) * 50.0 as mtd_payments, day(d) * 10.0 as mtd_new_overdue, day(d) * 80.0 as mtd_sales_before,
    day(d) * 50.0 as mtd_sales_year, day(d) * 56.0 as mtd_purchase_before, day(d) * 35.0 as mtd_purchase_year,
    day(d) * 50.0 as mtd_receipts_before, day(d) * 40.0 as mtd_receipts_year, day(d) * 40.0 as mtd_payments_before,
    day(d) * 25.0 as mtd_payments_year
from generate_series(date '2026-10-01', date '2026-11-20', interval 1 day) as t(d) cross join firm as c
cross join (
    select
        100.0 as sales, 80.0 as sales_cost, 2.0 as sales_bills, 70.0 as purchase, 60.0 as receipts, 50.0 as payments,
        10.0 as new_overdue, 1000.0 as receivable_opening, 113.0 as receivable_increase, 3.0 as receivable_offset,
        1050.0 as receivable_closing, 900.0 as payable_opening, 79.0 as payable_increase, 4.0 as payable_offset,
        925.0 as payable_closing, 5000.0 as stock_opening, 70.0 as stock_in, 80.0 as stock_out, 4990.0 as stock_closing
) as f;
create table mart_business_month as
select
    p.period_start as "month", p.period_label as month_label, d.* exclude ("day", day_label) replace (
        mtd_sales as sales, mtd_purchase as purchase, mtd_receipts as receipts, mtd_payments as payments
    ),
    d.mtd_sales_before as sales_before, d.mtd_sales_year as sales_year, d.mtd_purchase_before as purchase_before,
    d.mtd_purchase_year as purchase_year, d.mtd_receipts_before as receipts_before,
    d.mtd_receipts_year as receipts_year, d.mtd_payments_before as payments_before,
    d.mtd_payments_year as payments_year,
    1000.0 as sales_target, 100.0 as profit_target, 500.0 as receipts_target, 4000.0 as stock_target
from period as p
cross join (select * from mart_business_day where "day" = date '2026-11-20') as d
where p.period_kind = 'month';
create table mart_business_target as
select
    "month", month_label, company_id, company_name, sales_target, profit_target, receipts_target, stock_target
from mart_business_month;
create table mart_commodity_profit as
select
    p.period_start as "month", p.period_label as month_label, s.*, i.* exclude (price), 2.0 as quantity,
    i.price * 2.5 as revenue, i.price * 2.0 as "cost", i.price * 0.5 as profit, i.price * 0.1 as rebate,
    i.price * 0.05 as supplier_rebate, i.price * 0.02 as expected_rebate, i.price * 0.45 as profit_after_rebate,
    i.price * 0.47 as profit_after_expected
from period as p cross join place as s cross join item as i
where p.period_kind = 'month';
-- All that a month sold was sold on its fifth day.
create table mart_commodity_profit_day as
select cast("month" + 4 as date) as "day", * exclude ("month", month_label) from mart_commodity_profit;
create table mart_customer_profit as
select
    p.period_start as "month", p.period_label as month_label, c.*, c.company_id * 10 + 1 as warehouse_id,
    c.company_name || '的仓库' as warehouse_name, c.company_id * 10 as customer_id,
    c.company_name || '的客户' as customer_name, nullif(c.company_id, 2) as employee_id, '张伟' as employee_name,
    12.0 as quantity, 3000.0 as revenue, 2400.0 as "cost", 600.0 as profit, 150.0 as rebate,
    50.0 as supplier_rebate, 20.0 as expected_rebate, 500.0 as profit_after_rebate, 520.0 as profit_after_expected
from period as p cross join firm as c
where p.period_kind = 'month';
create table mart_customer_profit_day as
select cast("month" + 4 as date) as "day", * exclude ("month", month_label) from mart_customer_profit;
create table mart_operating_revenue as
select
    cast(d as date) as "day", c.*, c.company_id * 10 + 1 as warehouse_id,
    c.company_name || '的仓库' as warehouse_name, 7 as department_id,
    '销售部' as department_name, c.company_id as employee_id, '张伟' as employee_name, 100.0 as revenue, 110.0 as sales_revenue, -10.0 as return_revenue, 2 as bill_count,
    3.0 as quantity
from generate_series(date '2026-10-01', date '2026-11-20', interval 1 day) as t(d) cross join firm as c;
create table selling as
select * from (values ('d7', '近7天', 7), ('d30', '近30天', 30), ('d90', '近90天', 90), ('month', '本月', 20), ('year', '本年', 324))
    as t(period_key, period_label, days);
create table mart_best_seller as
select
    p.*, c.*, i.* exclude (price), p.days * 1.0 as quantity, p.days * i.price as amount, p.days * i.price * 0.8 as "cost",
    p.days * i.price * 0.2 as profit, 60.0 as stock_quantity
from selling as p cross join firm as c cross join item as i;
create table mart_best_seller_compared as
select
    *, quantity * 2 as quantity_before, amount * 2 as amount_before, "cost" * 2 as cost_before, profit * 2 as profit_before,
    quantity / 2 as quantity_year, amount / 2 as amount_year, "cost" / 2 as cost_year, profit / 2 as profit_year
from mart_best_seller;
create table mart_best_seller_info as
select
    p.period_key, p.period_label, s.*, i.* exclude (price), date '2026-11-18' as business_date, 'XSCK' as bill_type, 9 as bill_id,
    'XSCK' || s.warehouse_id || i.goods_id as bill_no, s.company_name || '的客户' as customer_name,
    '张伟' as employee_name, 2.0 as quantity, i.price as price, i.price * 2.0 as amount, i.price * 1.6 as "cost",
    i.price * 0.4 as profit
from selling as p cross join place as s cross join item as i;
create table mart_best_seller_lines as
select b.beside_order, m.* from mart_best_seller_info as m cross join (values (0), (1), (2)) as b(beside_order);
-- Each month 8 of a goods are planned, 6 of them ordered, 5 bought, 1 sent back; in November everything costs a tenth more.
create table mart_purchase_month as
select
    p.period_start as "month", p.period_label as month_label, s.*, s.company_id * 10 + 1 as supplier_id,
    s.company_name || '的厂家' as supplier_name, i.* exclude (price), 4.0 as quantity, i.price * 4.0 as "value",
    1.0 as return_quantity, i.price * 1.0 as return_value, 3.0 as in_plan_quantity, i.price * 3.0 as in_plan_value,
    8.0 as planned_quantity, i.price * 8.0 as planned_value, 6.0 as carried_quantity, 6.0 as ordered_quantity,
    i.price * 6.0 as ordered_value
from period as p cross join place as s cross join item as i
where p.period_kind = 'month';
create table mart_purchase_price_month as
select
    p.period_start as "month", p.period_label as month_label, s.*, s.company_id * 10 + 1 as supplier_id,
    s.company_name || '的厂家' as supplier_name, i.* exclude (price), 5.0 as priced_quantity,
    i.price * 5.0 * case when p.period_start = date '2026-11-01' then 1.1 else 1.0 end as priced_amount
from period as p cross join place as s cross join item as i
where p.period_kind = 'month';
create table mart_purchase_day as
select
    cast("month" + 4 as date) as "day",
    * exclude ("month", month_label, in_plan_quantity, in_plan_value, planned_quantity, planned_value, carried_quantity,
    ordered_quantity, ordered_value)
from mart_purchase_month;
-- Prices rise by a hundredth of the base each month.
create table mart_price_index as
select
    b.base_key, b.base_label, b.base_month, p.period_start as "month", p.period_label as month_label, c.*, i.* exclude (price),
    i.goods_id < 3 as is_bought, 10.0 as base_quantity, i.price * 10.0 as base_amount,
    i.price * 10.0 + i.price * 0.1 * date_diff('month', b.base_month, p.period_start) as now_amount
from period as p cross join firm as c cross join item as i
cross join (values ('year', '去年同月', date '2025-11-01'), ('january', '本年1月', date '2026-01-01'))
    as b(base_key, base_label, base_month)
where p.period_kind = 'month' and p.period_start >= b.base_month;
create table mart_purchase_climate as
select
    p.period_start as "month", p.period_label as month_label, c.*, i.* exclude (price),
    [1.0, 0.5, 0.5][i.goods_id] as price_score, [1.0, 1.0, 0.0][i.goods_id] as quantity_score,
    [0.5, 0.5, null][i.goods_id] as delivery_score
from period as p cross join firm as c cross join item as i
where p.period_kind = 'month';
create table mart_supplier_payment as
select
    p.period_start as "month", p.period_label as month_label, c.*, c.company_id * 10 + 1 as supplier_id,
    c.company_name || '的厂家' as supplier_name, 800.0 as purchased_amount, 600.0 as invoiced_amount,
    500.0 as settled_amount, 50.0 as offset_amount, 1200.0 as closing_amount, 550.0 as write_off_amount,
    550.0 * 40 as write_off_days
from period as p cross join firm as c
where p.period_kind = 'month';
create table mart_supplier_payment_day as
select cast("month" + 4 as date) as "day", * exclude ("month", month_label, closing_amount) from mart_supplier_payment;
-- Of each quarter: a confirmed cycle that is partly used, and one that is over without a rebate.
create table mart_supplier_rebate as
select
    cast(q as date) as "quarter", year(q) || '-Q' || quarter(q) as quarter_label, strftime(q, '%Y-%m') as month_label,
    c.*, c.company_id * 10 + 1 as supplier_id, c.company_name || '的厂家' as supplier_name,
    c.company_id * 10 + t.number as policy_id, '年度政策' || t.number as policy_name, '累计返利' as rebate_mode,
    cast(q as date) as cycle_start, cast(q + interval 3 month - interval 1 day as date) as cycle_end, t.state,
    case when t.number = 1 then 'CGFL' || c.company_id end as bill_no, t.base as base_amount, t.accrued as accrued_amount,
    t.confirmed as confirmed_amount, t.used as used_amount, t.confirmed - t.used as left_amount
from generate_series(timestamp '2025-07-01', timestamp '2026-10-01', interval 3 month) as quarters(q)
cross join firm as c
cross join (values (1, '已确认', 10000.0, 300.0, 200.0, 150.0), (2, '待确认', 5000.0, 100.0, 0.0, 0.0))
    as t(number, state, base, accrued, confirmed, used);
-- Of each month: sold for 1,000 what cost 800, 20 lost, 50 and 10 of rebates, 5 of claims, 30 of freight; October is closed.
create table mart_income as
select
    p.period_start as "month", p.period_label as month_label,
    p.period_label || case when p.period_start < date '2026-11-01' then '' else '（暂估）' end as month_mark, c.*,
    case when p.period_start < date '2026-11-01' then '已结账' else '暂估' end as state, t.*
from period as p cross join firm as c
cross join (
    values
    ('revenue', 1, '营业收入', 1000.0), ('sales_cost', 2, '销售成本', -800.0), ('stocktake', 5, '盘点盈亏', -20.0),
    ('supplier_rebate', 7, '供应商返利', 50.0), ('customer_rebate', 8, '客户返利', -10.0), ('claims', 10, '三包理赔净支出', -5.0),
    ('freight', 11, '配送运费', -30.0), ('customer_waiver', 12, '给客户的现金折扣（抹零）', -2.0),
    ('supplier_waiver', 13, '供应商给的现金折扣（抹零）', 2.0)
) as t(item, item_order, item_name, amount)
where p.period_kind = 'month';
-- Of each month, company and goods: 300 paid for the first symptom and 100 for the second, of which 150 and 100 are settled.
create table mart_guarantee_month as
select
    p.period_start as "month", p.period_label as month_label, c.*, c.company_id * 10 + 1 as supplier_id,
    c.company_name || '的厂家' as supplier_name, t.*, i.* exclude (price)
from period as p cross join firm as c cross join item as i
cross join (values (1, '胎侧鼓包', 2.0, 300.0, 1.0, 150.0), (2, '胎面脱层', 1.0, 100.0, 1.0, 100.0))
    as t(symptom_id, symptom_name, compensated_quantity, compensation_amount, factory_quantity, factory_amount)
where p.period_kind = 'month';
-- Of each company a piece that was paid for and is half settled, and one that is settled.
create table mart_guarantee_claim as
select
    c.*, i.* exclude (price), c.company_name || '的厂家' as supplier_name, '胎侧鼓包' as symptom_name,
    c.company_name || '的客户' as customer_name, 'SBDJ' || c.company_id || t.number as bill_no, 'T' || t.number as tire_number,
    'GSLP' || c.company_id || t.number as company_claim_no, date '2026-11-01' as compensated_on, t.waited_days,
    100.0 as compensation_amount, t.settled as factory_amount
from firm as c
cross join item as i
cross join (values (1, 19, 40.0), (2, null, 90.0)) as t(number, waited_days, settled)
where i.goods_id = t.number;
