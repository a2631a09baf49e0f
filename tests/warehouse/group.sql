-- A trading group of any size, made by set-based SQL: masters, two years of sales, monthly receipts, settlements.
-- Placeholders: :companies :warehouses :goods :customers :bills :lines (a bill) :days :as_of

insert into company (company_id, company_name, company_code, type)
select i, '公司' || i, 'C' || i, case when i = :companies then 3 else 2 end from generate_series(1, :companies) i;
insert into department (department_id, department_name, company_id)
select i, '销售' || i || '部', 1 + i % :companies from generate_series(1, :companies * 2) i;
insert into employee (employee_id, employee_name, company_id, department_id)
select i, '业务员' || i, 1 + i % :companies, 1 + i % (:companies * 2) from generate_series(1, :companies * 10) i;
insert into warehouse (warehouse_id, warehouse_name, company_id)
select i, '仓库' || i, 1 + i % :companies from generate_series(1, :warehouses) i;
insert into goods_type (goods_type_id, goods_type_name, p_id, level)
select i, '大类' || i, null::bigint, 1 from generate_series(1, 5) i
union all select 10 + i, '中类' || i, 1 + i % 5, 2 from generate_series(1, 20) i
union all select 100 + i, '小类' || i, 11 + i % 20, 3 from generate_series(0, 59) i;
insert into brand (brand_id, brand_name) select i, '品牌' || i from generate_series(1, 20) i;
insert into unit (unit_id, unit_name) values (1, '条'), (2, '件');
insert into goods (goods_id, goods_num, goods_name, goods_type_id, brand_id, unit_id, specification_type, pattern)
select i, 'G' || lpad(i::text, 6, '0'), '商品' || i, 100 + i % 60, 1 + i % 20, 1 + i % 2, '205/55R16', 'P' || i % 50
from generate_series(1, :goods) i;
insert into customer (customer_id, customer_name, company_id, employee_id, province_id)
select i, '客户' || i, 1 + i % :companies, 1 + i % (:companies * 10), p.province_id
from generate_series(1, :customers) i, province p where p.province_name = '浙江省';
insert into role (role_id, role_name, scope_kind, own_kind, sees_cost)
values (1, '集团经理', 1, 1, true), (2, '分公司经理', 2, 1, true), (3, '开单员', 2, 3, false), (4, '分析员', 1, 1, false),
    (5, '仓库主管', 2, 1, false), (6, '未授权', 2, 1, true), (7, '部门经理', 1, 2, true);
insert into role (role_id, role_name, scope_kind, own_kind, sees_cost, enabled) values (8, '停用', 1, 1, true, false);
insert into role_company (role_id, company_id) values (2, 1), (3, 1), (5, 1);
insert into role_warehouse (role_id, warehouse_id) select 5, min(warehouse_id) from warehouse where company_id = 1;

create temp table bill as
select
    i as bill_id,
    case when i % 50 = 0 then 'XSTH' else 'XSCK' end as bill_type,
    w.warehouse_id,
    w.company_id,
    1 + (i * 7919) % :customers as customer_id,
    1 + (i * 31) % (:companies * 10) as employee_id,
    1 + (i * 17) % (:companies * 2) as department_id,
    :as_of::date - :days + 1 + ((i * :days::bigint) / (:bills + 1))::int as business_date
from generate_series(1, :bills) i
join warehouse w on w.warehouse_id = 1 + (i * 13) % :warehouses;

create temp table line as
select
    (b.bill_id - 1) * :lines + n as line_id,
    b.*,
    n as line_no,
    1 + floor(:goods * pow(random(), 2.5))::bigint as goods_id,
    (case when b.bill_type = 'XSTH' then 1 else 1 + floor(random() * 4) end)::numeric as quantity
from bill b, generate_series(1, :lines) n;
analyze line;

create temp table cost as
select c.company_id, g.goods_id, m as month,
    round((100 + g.goods_id % 900) * (1 + 0.02 * ((g.goods_id + c.company_id * 7 + m * 3) % 5)), 6) as unit_cost
from company c, goods g, generate_series(0, :days / 30 + 1) m;
alter table cost add primary key (company_id, goods_id, month);
analyze cost;

create temp table receipt as
select row_number() over () as bill_id, r.*
from (
    select company_id, warehouse_id, goods_id, (business_date - (:as_of::date - :days)) / 30 as month,
        min(business_date) - 1 as business_date,
        sum(case when bill_type = 'XSCK' then quantity else 0 end) + case when random() < 0.3 then 4 else 0 end as quantity
    from line group by 1, 2, 3, 4
) r
where quantity > 0;

-- Of every 40th receipt one piece more comes than is needed, and goes back the next day at a tenth less than it cost.
update receipt set quantity = quantity + 1 where bill_id % 40 = 0;

insert into sales_outbound (bill_id, bill_no, company_id, business_date, status, department_id, employee_id, warehouse_id, customer_id, maker_id)
select bill_id, 'XSCK' || bill_id, company_id, business_date, 2, department_id, employee_id, warehouse_id, customer_id, 1
from bill where bill_type = 'XSCK';
insert into sales_return (bill_id, bill_no, company_id, business_date, status, department_id, employee_id, warehouse_id, customer_id, maker_id)
select bill_id, 'XSTH' || bill_id, company_id, business_date, 2, department_id, employee_id, warehouse_id, customer_id, 1
from bill where bill_type = 'XSTH';

create temp table priced as
select l.*, c.unit_cost, round(c.unit_cost * 1.35, 2) as price,
    round(l.quantity * round(c.unit_cost * 1.35, 2), 2) as amount,
    round(l.quantity * round(c.unit_cost * 1.35, 2) / 1.13, 2) as no_tax_amount
from line l
join cost c on c.company_id = l.company_id and c.goods_id = l.goods_id
    and c.month = (l.business_date - (:as_of::date - :days)) / 30;

-- Every tenth delivery was ordered three days before, some goods of it more than came; one of three such orders is closed.
insert into sales_order (bill_id, bill_no, company_id, business_date, delivery_date, status, department_id, employee_id, warehouse_id, customer_id, maker_id)
select bill_id, 'XSDD' || bill_id, company_id, business_date - 3, business_date - bill_id % 4, case when bill_id % 30 = 0 then 4 else 2 end,
    department_id, employee_id, warehouse_id, customer_id, 1
from bill where bill_type = 'XSCK' and bill_id % 10 = 0;
insert into sales_order_line (line_id, bill_id, line_no, goods_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount, executed_quantity)
select line_id, bill_id, line_no, goods_id, quantity + line_id % 3, price, 0.13, round((quantity + line_id % 3) * price, 2), 0, 0, quantity
from priced where bill_type = 'XSCK' and bill_id % 10 = 0;
insert into sales_outbound_line (line_id, bill_id, line_no, goods_id, batch_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount, order_line_id)
select line_id, bill_id, line_no, goods_id, 0, quantity, price, 0.13, amount, amount - no_tax_amount, no_tax_amount,
    case when bill_id % 10 = 0 then line_id end
from priced where bill_type = 'XSCK';
insert into sales_return_line (line_id, bill_id, line_no, goods_id, batch_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount)
select line_id, bill_id, line_no, goods_id, 0, quantity, price, 0.13, amount, amount - no_tax_amount, no_tax_amount
from priced where bill_type = 'XSTH';

insert into stock_ledger (ledger_id, company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
select row_number() over (order by business_date, kind), company_id, warehouse_id, 0, goods_id, 0, quantity, unit_cost,
    round(quantity * unit_cost, 2), bill_type, bill_id, bill_type || bill_id, line_id, business_date
from (
    select 1 as kind, company_id, warehouse_id, goods_id, case when bill_type = 'XSCK' then -quantity else quantity end as quantity,
        unit_cost, bill_type, bill_id, line_id, business_date
    from priced
    union all
    select 0, r.company_id, r.warehouse_id, r.goods_id, r.quantity, c.unit_cost, 'CGRK', r.bill_id, r.bill_id, r.business_date
    from receipt r join cost c using (company_id, goods_id, month)
    union all
    select 2, r.company_id, r.warehouse_id, r.goods_id, -1, c.unit_cost, 'CGTH', r.bill_id, r.bill_id, r.business_date + 1
    from receipt r join cost c using (company_id, goods_id, month)
    where r.bill_id % 40 = 0
) moves;

-- Counted, claimed, given away: of ten goods a month ago; adjusted with and without stock; freight; books closed in two companies.
insert into stock_ledger (ledger_id, company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
select (select max(ledger_id) from stock_ledger) + row_number() over (), w.company_id, w.warehouse_id, 0, g, 0, k.quantity, 100 + g,
    k.quantity * (100 + g), k.bill_type, g, k.bill_type || g, g, :as_of::date - 30 - g
from warehouse w, generate_series(1, 10) g, (
    values ('PYRK', 3), ('PKCK', -1), ('PYCK', -1), ('TBRK', 2), ('TBCK', -1), ('QTRK', 2), ('QTCK', -1), ('QTFH', -1), ('CBTZ', 0)
) k(bill_type, quantity)
where w.warehouse_id <= :companies;
update stock_ledger set amount = 7.5 where bill_type = 'CBTZ';
insert into cost_adjustment (bill_id, bill_no, company_id, business_date, status, warehouse_id, reason, maker_id)
select g, 'CBTZ' || g, 1 + g % :companies, :as_of::date - 30 - g, case when g = 3 then 1 else 2 end, 1, '调整', 1 from generate_series(1, 10) g;
insert into cost_adjustment_line (line_id, bill_id, line_no, goods_id, amount) select g, g, 1, g, 5 * g - 20.25 from generate_series(1, 10) g;
-- What was sold short cost more than was assumed.
insert into stock_ledger (ledger_id, company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
select (select max(ledger_id) from stock_ledger) + row_number() over (), company_id, warehouse_id, 0, 2, 0, 0, 0, -1.25, 'CGRK', 1, 'CGRK1', 1,
    :as_of::date - 40
from warehouse where warehouse_id <= 2;
insert into sales_delivery (bill_id, bill_no, company_id, business_date, status, customer_id, delivery_mode_id, logistics_id, logistics_driver_id,
    freight_amount, maker_id)
select bill_id, 'XSPS' || bill_id, company_id, business_date, case when bill_id % 35 = 0 then 1 else 2 end, customer_id, 1, 1, 1, 12.5, 1
from bill where bill_type = 'XSCK' and bill_id % 7 = 0;
insert into month_close (company_id, period, status, closed_by, closed_at)
select i, to_char(:as_of::date - 31 * n, 'YYYY-MM'), case when i = 1 and n = 1 then 0 else 1 end, 1, now()
from generate_series(1, 2) i, generate_series(1, 6) n;
insert into settlement_item (settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no,
    business_date, due_date, amount, open_amount)
select 3 * (:bills + :customers) + 3 * (select count(*) from receipt) + 10 + n, 1, 'customer', n, 'bill', 'KHFL', n, 'KHFL' || n, :as_of::date - 20 * n,
    :as_of::date - 20 * n, -33.3 * n, -33.3 * n
from generate_series(1, 2) n;
insert into settlement_item (settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no,
    business_date, due_date, amount, open_amount)
select p.bill_id, p.company_id, 'customer', p.customer_id, 'bill', p.bill_type, p.bill_id, p.bill_type || p.bill_id,
    p.business_date, p.business_date + 30, p.amount,
    case when p.business_date < :as_of::date - 60 and p.bill_id % 30 <> 0 then 0 else p.amount end
from (
    select bill_id, bill_type, company_id, customer_id, business_date,
        sum(case when bill_type = 'XSCK' then amount else -amount end) as amount
    from priced group by 1, 2, 3, 4, 5
) p;
insert into supplier (supplier_id, supplier_name) select i, '供应商' || i from generate_series(1, 8) i;
create temp table bought as
select r.*, 1 + r.goods_id % 8 as supplier_id, round(r.quantity * c.unit_cost, 2) as no_tax_amount,
    round(r.quantity * c.unit_cost * 1.13, 2) as amount, c.unit_cost
from receipt r join cost c using (company_id, goods_id, month);
insert into purchase_inbound (bill_id, bill_no, company_id, business_date, status, department_id, employee_id, warehouse_id, supplier_id, maker_id)
select bill_id, 'CGRK' || bill_id, company_id, business_date, 2, 1, 1, warehouse_id, supplier_id, 1 from bought;
-- Every fifth receipt was ordered days before, of some more than came; one of five such orders is closed.
insert into purchase_order (bill_id, bill_no, company_id, business_date, delivery_date, status, department_id, employee_id, warehouse_id, supplier_id, maker_id)
select bill_id, 'CGDD' || bill_id, company_id, business_date - (3 + bill_id % 11)::int, business_date - (bill_id % 3)::int,
    case when bill_id % 25 = 0 then 4 else 2 end, 1, 1, warehouse_id, supplier_id, 1
from bought where bill_id % 5 = 0;
insert into purchase_order_line (line_id, bill_id, line_no, goods_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount, executed_quantity)
select bill_id, bill_id, 1, goods_id, quantity + bill_id % 3, round(unit_cost * 1.13, 6), 0.13, amount, 0, 0, quantity
from bought where bill_id % 5 = 0;
-- Every 60th receipt was a gift.
insert into purchase_inbound_line (line_id, bill_id, line_no, goods_id, batch_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount,
    order_line_id, is_gift)
select bill_id, bill_id, 1, goods_id, 0, quantity, round(unit_cost * 1.13, 6), 0.13, amount, amount - no_tax_amount, no_tax_amount,
    case when bill_id % 5 = 0 then bill_id end, bill_id % 60 = 0
from bought;
insert into purchase_return (bill_id, bill_no, company_id, business_date, status, department_id, employee_id, warehouse_id, supplier_id, maker_id)
select bill_id, 'CGTH' || bill_id, company_id, business_date + 1, 2, 1, 1, warehouse_id, supplier_id, 1 from bought where bill_id % 40 = 0;
insert into purchase_return_line (line_id, bill_id, line_no, goods_id, batch_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount)
select bill_id, bill_id, 1, goods_id, 0, 1, round(unit_cost * 1.017, 6), 0.13, round(unit_cost * 1.017, 2),
    round(unit_cost * 1.017, 2) - round(unit_cost * 0.9, 2), round(unit_cost * 0.9, 2)
from bought where bill_id % 40 = 0;
insert into purchase_invoice (bill_id, bill_no, company_id, business_date, status, department_id, employee_id, supplier_id, invoice_no,
    invoice_date, total_amount, maker_id)
select bill_id, 'CGFP' || bill_id, company_id, business_date + 5, case when bill_id % 49 = 0 then 3 else 2 end, 1, 1, supplier_id,
    'FP' || bill_id, business_date + 5, amount, 1
from bought where bill_id % 7 = 0 and business_date + 5 <= :as_of::date;
-- Policies of every measure and mode, about all goods, a brand, a type above or single goods; the last one is voided.
insert into supplier_rebate_policy (bill_id, bill_no, company_id, business_date, status, maker_id, supplier_id, policy_name, rebate_type_id,
    rebate_cycle_id, cycle_months, measure, rebate_mode, starts_on, ends_on)
select i, 'CGFZ' || i, 1 + i % :companies, :as_of::date - 400, case when i = 7 then 3 else 2 end, 1, i, '政策' || i, 1, 1,
    (array[1, 3, 6, 12, 1, 3, 1])[i], 1 + i % 2, 1 + (i / 2) % 2, :as_of::date - 430 + i * 7, :as_of::date + 30 - i * 20
from generate_series(1, 7) i;
insert into supplier_rebate_policy_tier (line_id, bill_id, line_no, starts_from, rate, unit_rebate, quick_deduction)
select (i - 1) * 2 + n, i, n, case when i % 2 = 0 then 8 * n else 3000 * n end, case when i % 2 = 1 then n + 0.5 end,
    case when i % 2 = 0 then 3 * n end, case when (i / 2) % 2 = 0 and n = 2 then 24.005 else 0 end
from generate_series(1, 7) i, generate_series(1, 2) n;
insert into supplier_rebate_policy_goods (line_id, bill_id, line_no, goods_id, brand_id, goods_type_id)
values (1, 2, 1, null, 4, null), (2, 2, 2, null, null, 3), (3, 3, 1, null, null, 13), (4, 4, 1, 3, null, null), (5, 4, 2, null, null, 103);
insert into supplier_rebate (bill_id, bill_no, company_id, business_date, status, maker_id, supplier_id, policy_id, cycle_start, amount)
select row_number() over (), 'CGFL' || row_number() over (), p.company_id, :as_of::date - 4, case when p.bill_id = 5 then 1 else 2 end, 1,
    p.supplier_id, p.bill_id, cast(date_trunc('month', p.starts_on + 31 * n) as date), 500 + 10 * n
from supplier_rebate_policy p, generate_series(1, 3) n
where p.cycle_months = 1 and p.status = 2;
insert into settlement_item (settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date, due_date,
    amount, open_amount)
select :bills + :customers + (select count(*) from receipt) + bill_id, company_id, 'supplier', supplier_id, 'bill', 'CGFL', bill_id, bill_no,
    business_date, business_date, -amount, case bill_id % 3 when 0 then 0 when 1 then -amount else -200 end
from supplier_rebate where status = 2;
insert into settlement_item (settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date, due_date,
    amount, open_amount)
select :bills + :customers + (select 2 * count(*) from receipt) + bill_id, company_id, 'supplier', supplier_id, 'bill', 'CGTH', bill_id,
    'CGTH' || bill_id, business_date + 1, business_date + 1, -round(unit_cost * 1.017, 2), -round(unit_cost * 1.017, 2)
from bought where bill_id % 40 = 0;
insert into settlement_item (settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no,
    business_date, due_date, amount, open_amount)
select :bills + :customers + bill_id, company_id, 'supplier', supplier_id, 'bill', 'CGRK', bill_id, 'CGRK' || bill_id,
    business_date, business_date + 45, amount,
    case when business_date < :as_of::date - 90 and bill_id % 20 <> 0 then 0 else amount end
from bought;
insert into settlement_item (settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no,
    business_date, due_date, amount, open_amount)
select :bills + customer_id, company_id, 'customer', customer_id, 'advance', 'KHSK', :bills + customer_id, 'KHSK' || :bills + customer_id,
    :as_of::date - 3, :as_of::date - 3, -100 - customer_id % 900, -100 - customer_id % 900
from customer where customer_id % 10 = 0;
insert into settlement_ledger (entry_id, settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id,
    bill_no, business_date)
select row_number() over (order by settlement_id, amount desc), settlement_id, company_id, party_type, party_id, amount, entry, bill_type,
    bill_id, bill_no, business_date
from (
    select settlement_id, company_id, party_type, party_id, amount, 'open' as entry, bill_type, bill_id, bill_no, business_date
    from settlement_item
    union all
    select settlement_id, company_id, party_type, party_id, open_amount - amount, 'write_off',
        case party_type when 'customer' then 'KHSK' else 'GYFK' end, settlement_id,
        case party_type when 'customer' then 'KHSK' else 'GYFK' end || settlement_id, due_date
    from settlement_item where open_amount <> amount
) entries;
insert into receivables_mode (receivables_mode_id, receivables_mode_name) values (1, '现金');
insert into customer_receipt (bill_id, bill_no, company_id, business_date, status, customer_id, receivables_mode_id, amount, maker_id)
select bill_id, bill_no, company_id, business_date, 2, party_id, 1, -sum(amount), 1
from settlement_ledger where bill_type = 'KHSK' group by 1, 2, 3, 4, 6;

select setval(pg_get_serial_sequence('sales_outbound', 'bill_id'), :bills);
select setval(pg_get_serial_sequence('sales_return', 'bill_id'), :bills);
select setval(pg_get_serial_sequence('sales_outbound_line', 'line_id'), :bills * :lines);
select setval(pg_get_serial_sequence('sales_return_line', 'line_id'), :bills * :lines);
select setval(pg_get_serial_sequence('stock_ledger', 'ledger_id'), max(ledger_id)) from stock_ledger;
select setval(pg_get_serial_sequence('purchase_inbound', 'bill_id'), max(bill_id)) from purchase_inbound;
select setval(pg_get_serial_sequence('purchase_inbound_line', 'line_id'), max(line_id)) from purchase_inbound_line;
select setval(pg_get_serial_sequence('supplier_rebate', 'bill_id'), max(bill_id)) from supplier_rebate;
select setval(pg_get_serial_sequence('settlement_item', 'settlement_id'), max(settlement_id)) from settlement_item;
select setval(pg_get_serial_sequence('settlement_ledger', 'entry_id'), max(entry_id)) from settlement_ledger;
