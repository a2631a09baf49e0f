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
    1 + (i * 7919::bigint) % :customers as customer_id,
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

-- What one supplier delivers of a range of goods to a warehouse on a day is one bill.
create temp table receipt as
select r.*, min(line_id) over (partition by warehouse_id, business_date, goods_id % 56) as bill_id
from (
    select row_number() over () as line_id, m.*
    from (
        select company_id, warehouse_id, goods_id, (business_date - (:as_of::date - :days)) / 30 as month,
            min(business_date) - 1 as business_date,
            sum(case when bill_type = 'XSCK' then quantity else 0 end) + case when random() < 0.3 then 4 else 0 end as quantity
        from line group by 1, 2, 3, 4
    ) m
    where quantity > 0
) r;

-- Of every 40th line one piece more comes than is needed, and goes back the next day at a tenth less than it cost.
update receipt set quantity = quantity + 1 where line_id % 40 = 0;

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

-- As the ledger posts: what comes in costs what it cost, what goes out the company's average, the last piece all that is left.
create function pg_temp.post(state numeric[], quantity numeric, given numeric, usual numeric) returns numeric[] language sql as $$
    select array[state[1] + quantity, state[2] + m.amount, m.cost, m.amount]
    from (
        select c.cost, case when given is null and state[1] + quantity = 0 then -state[2] else round(quantity * c.cost, 2) end as amount
        from (select coalesce(given, case when state[1] > 0 then round(state[2] / state[1], 6) end, usual) as cost) c
    ) m
$$;
create aggregate pg_temp.posted(quantity numeric, given numeric, usual numeric) (
    sfunc = pg_temp.post, stype = numeric[], initcond = '{0, 0, 0, 0}'
);
insert into stock_ledger (ledger_id, company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
select row_number() over (order by business_date, kind), company_id, warehouse_id, 0, goods_id, 0, quantity, posted[3], posted[4],
    bill_type, bill_id, bill_type || bill_id, line_id, business_date
from (
    select *, pg_temp.posted(quantity, given, unit_cost) over (
        partition by company_id, goods_id order by business_date, kind, line_id rows unbounded preceding
    ) as posted
    from (
        select 1 as kind, company_id, warehouse_id, goods_id, case when bill_type = 'XSCK' then -quantity else quantity end as quantity,
            null as given, unit_cost, bill_type, bill_id, line_id, business_date
        from priced
        union all
        select 0, r.company_id, r.warehouse_id, r.goods_id, r.quantity, c.unit_cost, c.unit_cost, 'CGRK', r.bill_id, r.line_id,
            r.business_date
        from receipt r join cost c using (company_id, goods_id, month)
        union all
        select 2, r.company_id, r.warehouse_id, r.goods_id, -1, c.unit_cost, c.unit_cost, 'CGTH', r.line_id, r.line_id,
            r.business_date + 1
        from receipt r join cost c using (company_id, goods_id, month)
        where r.line_id % 40 = 0
    ) moves
) moves;

-- Counted, claimed, given away: of ten goods a month ago; adjusted with and without stock; freight; books closed in two companies.
insert into stock_ledger (ledger_id, company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
select (select max(ledger_id) from stock_ledger) + row_number() over (), w.company_id, w.warehouse_id, 0, g, 0, k.quantity, 100 + g,
    k.quantity * (100 + g), k.bill_type, n, k.bill_type || n, n, :as_of::date - 30 - g
from warehouse w, generate_series(1, 10) g, (
    values ('PYRK', 3), ('PKCK', -1), ('PYCK', -1), ('TBRK', 3), ('TBCK', -1), ('TBTH', -1), ('QTRK', 2), ('QTCK', -1),
        ('QTFH', -1), ('CBTZ', 0)
) k(bill_type, quantity), lateral (select (w.warehouse_id - 1) * 10 + g as n) l
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
insert into business_target (company_id, month, sales_target, profit_target, receipts_target, stock_target)
values (1, '2026-09', 100000, null, 80000, 500000), (1, '2026-10', 110000.50, 9000, null, null),
    (2, '2026-10', 120000, null, 70000, null), (1, '2026-11', 130000, 9500, 90000, 510000),
    (2, '2027-01', 140000, null, null, null);
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
select distinct bill_id, 'CGRK' || bill_id, company_id, business_date, 2, 1, 1, warehouse_id, supplier_id, 1 from bought;
-- Every fifth line was ordered days before, of some more than came; one of five such orders is closed.
insert into purchase_order (bill_id, bill_no, company_id, business_date, delivery_date, status, department_id, employee_id, warehouse_id, supplier_id, maker_id)
select line_id, 'CGDD' || line_id, company_id, business_date - (3 + line_id % 11)::int, business_date - (line_id % 3)::int,
    case when line_id % 25 = 0 then 4 else 2 end, 1, 1, warehouse_id, supplier_id, 1
from bought where line_id % 5 = 0;
insert into purchase_order_line (line_id, bill_id, line_no, goods_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount, executed_quantity,
    plan_line_id)
select line_id, line_id, 1, goods_id, quantity + line_id % 3, round(unit_cost * 1.13, 6), 0.13, amount, amount - no_tax_amount, no_tax_amount,
    quantity, case when line_id % 10 = 0 then line_id end
from bought where line_id % 5 = 0;
-- Every second order carries out a plan of two weeks before, of one piece more; a plan may name no supplier, count no more or be a draft.
insert into purchase_plan (bill_id, bill_no, company_id, business_date, status, warehouse_id, maker_id)
select line_id, 'CGJH' || line_id, company_id, business_date - 20, case line_id % 70 when 0 then 1 when 10 then 4 when 20 then 3 else 2 end,
    warehouse_id, 1
from bought where line_id % 10 = 0;
insert into purchase_plan_line (line_id, bill_id, line_no, goods_id, supplier_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount,
    executed_quantity)
select line_id, line_id, 1, goods_id, case when line_id % 30 > 0 then supplier_id end, quantity + line_id % 3 + 1, round(unit_cost * 1.13, 6), 0.13,
    amount, amount - no_tax_amount, no_tax_amount, quantity + line_id % 3
from bought where line_id % 10 = 0;
-- Every 60th line was a gift.
insert into purchase_inbound_line (line_id, bill_id, line_no, goods_id, batch_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount,
    order_line_id, is_gift)
select line_id, bill_id, row_number() over (partition by bill_id order by line_id), goods_id, 0, quantity,
    round(unit_cost * 1.13, 6), 0.13, amount, amount - no_tax_amount, no_tax_amount,
    case when line_id % 5 = 0 then line_id end, line_id % 60 = 0
from bought;
insert into purchase_return (bill_id, bill_no, company_id, business_date, status, department_id, employee_id, warehouse_id, supplier_id, maker_id)
select line_id, 'CGTH' || line_id, company_id, business_date + 1, 2, 1, 1, warehouse_id, supplier_id, 1 from bought where line_id % 40 = 0;
insert into purchase_return_line (line_id, bill_id, line_no, goods_id, batch_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount)
select line_id, line_id, 1, goods_id, 0, 1, round(unit_cost * 1.017, 6), 0.13, round(unit_cost * 1.017, 2),
    round(unit_cost * 1.017, 2) - round(unit_cost * 0.9, 2), round(unit_cost * 0.9, 2)
from bought where line_id % 40 = 0;
insert into purchase_invoice (bill_id, bill_no, company_id, business_date, status, department_id, employee_id, supplier_id, invoice_no,
    invoice_date, total_amount, maker_id)
select bill_id, 'CGFP' || bill_id, company_id, business_date + 5, case when bill_id % 49 = 0 then 3 else 2 end, 1, 1, supplier_id,
    'FP' || bill_id, business_date + 5, sum(amount), 1
from bought where bill_id % 7 = 0 and business_date + 5 <= :as_of::date
group by bill_id, company_id, business_date, supplier_id;
-- Policies of every measure and mode, about all goods, a brand, a type above or single goods; the last one is voided.
insert into supplier_rebate_policy (bill_id, bill_no, company_id, business_date, status, maker_id, supplier_id, policy_name, rebate_type_id,
    rebate_cycle_id, cycle_months, measure, rebate_mode, starts_on, ends_on)
select i, 'CGFZ' || i, 1 + i % :companies, :as_of::date - 400, case when i = 7 then 3 else 2 end, 1, i, '政策' || i, 1, 1,
    (array[1, 3, 6, 12, 1, 3, 1])[i], 1 + i % 2, 1 + (i / 2) % 2, :as_of::date - 430 + i * 7, :as_of::date - case when i = 5 then 294 else 20 * i - 30 end
from generate_series(1, 7) i;
-- Returns of what was bought before, also within policies that have ended.
update purchase_return_line l set source_line_id = (
    select s.line_id
    from purchase_return h
    join purchase_inbound o on o.company_id = h.company_id and o.business_date < h.business_date - 90
    join purchase_inbound_line s on s.bill_id = o.bill_id
    where h.bill_id = l.bill_id
    order by o.business_date desc, s.line_id
    limit 1
)
where l.line_id / 40 % 4 > 0;
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
select :bills + :customers + (select 2 * count(*) from receipt) + line_id, company_id, 'supplier', supplier_id, 'bill', 'CGTH', line_id,
    'CGTH' || line_id, business_date + 1, business_date + 1, -round(unit_cost * 1.017, 2), -round(unit_cost * 1.017, 2)
from bought where line_id % 40 = 0;
insert into settlement_item (settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no,
    business_date, due_date, amount, open_amount)
select :bills + :customers + bill_id, company_id, 'supplier', supplier_id, 'bill', 'CGRK', bill_id, 'CGRK' || bill_id,
    business_date, business_date + 45, sum(amount),
    case when business_date < :as_of::date - 90 and bill_id % 20 <> 0 then 0 else sum(amount) end
from bought group by bill_id, company_id, business_date, supplier_id;
insert into settlement_item (settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no,
    business_date, due_date, amount, open_amount)
select :bills + customer_id, company_id, 'customer', customer_id, 'advance', 'KHSK', :bills + customer_id, 'KHSK' || :bills + customer_id,
    :as_of::date - 3, :as_of::date - 3, -100 - customer_id % 900, -100 - customer_id % 900
from customer where customer_id % 10 = 0;
-- What partners had advanced when the books were opened; of some a part is used.
insert into settlement_item (settlement_id, company_id, party_type, party_id, kind, bill_type, bill_id, bill_no,
    business_date, due_date, amount, open_amount)
select 3 * (:bills + :customers) + 3 * (select count(*) from receipt) + 20 + row_number() over (order by bill_type, party_id), company_id,
    party_type, party_id, 'opening', bill_type, party_id, bill_type || party_id, :as_of::date - 200, :as_of::date - 100,
    -400 - party_id, -400 - party_id + case when party_id % 3 = 0 then 0 else 150 end
from (
    select company_id, 'customer' as party_type, customer_id as party_id, 'QCYS' as bill_type from customer where customer_id % 10 = 5
    union all
    select 1, 'supplier', supplier_id, 'QCYF' from supplier where supplier_id > 5
) advanced;
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
-- Goods under guarantee: what came in, was given out and sent back, half of it by the line it came in by.
insert into three_inbound (bill_id, bill_no, company_id, business_date, status, warehouse_id, customer_id, reason, total_quantity, maker_id)
select bill_id, bill_no, company_id, business_date, 2, warehouse_id, 1, '鼓包', 3, 1 from stock_ledger where bill_type = 'TBRK';
insert into three_inbound_line (line_id, bill_id, line_no, goods_id, batch_id, quantity)
select line_id, bill_id, 1, goods_id, 0, quantity from stock_ledger where bill_type = 'TBRK';
insert into three_outbound (bill_id, bill_no, company_id, business_date, status, warehouse_id, customer_id, reason, total_quantity, maker_id)
select bill_id, bill_no, company_id, business_date, 2, warehouse_id, 2, '换新', 1, 1 from stock_ledger where bill_type = 'TBCK';
insert into three_outbound_line (line_id, bill_id, line_no, goods_id, batch_id, quantity)
select line_id, bill_id, 1, goods_id, 0, -quantity from stock_ledger where bill_type = 'TBCK';
insert into tire_back (bill_id, bill_no, company_id, business_date, status, warehouse_id, supplier_id, claim_no, total_quantity, maker_id)
select bill_id, bill_no, company_id, business_date, 2, warehouse_id, 1 + goods_id % 8, 'LP' || bill_id, 1, 1
from stock_ledger where bill_type = 'TBTH';
insert into tire_back_line (line_id, bill_id, line_no, goods_id, batch_id, quantity, source_line_id)
select line_id, bill_id, 1, goods_id, 0, -quantity, case when line_id % 2 = 0 then line_id end from stock_ledger where bill_type = 'TBTH';
-- Pieces are registered with two goods a bill, every tenth bill is a draft; the first came in as above. Two of three that
-- the company paid for are settled, each by a bill of its own and one piece after the other; some by more, most by less.
insert into guarantee_register (bill_id, bill_no, company_id, business_date, status, customer_id, total_quantity, maker_id)
select i, 'SBDJ' || i, 1 + i % :companies, :as_of::date - 11 * i, case when i % 10 = 0 then 1 else 2 end, 1 + i % :customers,
    2 + 2 * (i % 2) + 1, 1
from generate_series(1, 45) i;
insert into guarantee_register_line (line_id, bill_id, line_no, goods_id, quantity, supplier_id, symptom_id, tire_number, inbound_line_id)
select i * 2 + n, i, n + 1, coalesce(t.goods_id, 1 + (i * 7 + n) % :goods), 1 + n + i % 2, 1 + (i * 7 + n) % 8,
    (select min(symptom_id) from symptom) + (i + n) % 3, 'T' || i || n, t.line_id
from generate_series(1, 45) i
cross join generate_series(0, 1) n
left join lateral (
    select goods_id, line_id from stock_ledger where bill_type = 'TBRK' and company_id = 1 + i % :companies order by line_id offset i limit 1
) t on i <= 4 and n = 0;
insert into company_claim (bill_id, bill_no, company_id, business_date, status, customer_id, total_quantity, total_amount, maker_id)
select bill_id, 'GSLP' || bill_id, company_id, business_date + 5, case when bill_id % 9 = 0 then 1 else 2 end, customer_id, total_quantity,
    0, 1
from guarantee_register where status = 2 and business_date + 5 <= :as_of::date;
insert into company_claim_line (line_id, bill_id, line_no, goods_id, quantity, source_line_id, judged_rate, amount)
select l.line_id, l.bill_id, l.line_no, l.goods_id, l.quantity, l.line_id, 40 + 10 * (l.line_id % 7),
    round(l.quantity * (200 + l.goods_id) * (0.4 + 0.1 * (l.line_id % 7)), 2)
from guarantee_register_line l join company_claim c using (bill_id);
update company_claim c set total_amount = (select sum(amount) from company_claim_line l where l.bill_id = c.bill_id);
insert into factory_claim (bill_id, bill_no, company_id, business_date, status, supplier_id, claim_no, total_quantity, total_amount, maker_id)
select l.line_id, 'CJLP' || l.line_id, c.company_id, c.business_date + 20 + (l.line_id % 30)::int, 2, r.supplier_id, 'FC' || l.line_id, l.quantity,
    round(l.amount * (0.6 + 0.1 * (l.line_id % 6)), 2), 1
from company_claim_line l join company_claim c using (bill_id) join guarantee_register_line r on r.line_id = l.source_line_id
where c.status = 2 and l.line_id % 3 > 0 and c.business_date + 20 + (l.line_id % 30)::int <= :as_of::date;
insert into factory_claim_line (line_id, bill_id, line_no, goods_id, quantity, source_line_id, judged_rate, amount)
select f.bill_id, f.bill_id, 1, l.goods_id, f.total_quantity, l.line_id, l.judged_rate, f.total_amount
from factory_claim f join company_claim_line l on l.line_id = f.bill_id;
insert into receivables_mode (receivables_mode_id, receivables_mode_name) values (1, '现金');
insert into customer_receipt (bill_id, bill_no, company_id, business_date, status, customer_id, receivables_mode_id, amount, maker_id)
select bill_id, bill_no, company_id, business_date, 2, party_id, 1, -sum(amount), 1
from settlement_ledger where bill_type = 'KHSK' group by 1, 2, 3, 4, 6;

-- Customers' rebates of a year, about all goods, a brand, a type above, single goods, or nothing that was sold; a draft.
insert into customer_rebate_policy_goods (line_id, bill_id, line_no, goods_id, brand_id, goods_type_id)
values (1, 2, 1, null, 4, null), (2, 2, 2, null, null, 3), (3, 3, 1, null, null, 13), (4, 4, 1, 3, null, null), (5, 4, 2, 1, null, null),
    (6, 5, 1, -1, null, null);
insert into customer_rebate_policy (bill_id, bill_no, company_id, business_date, status, maker_id, customer_id, policy_name, rebate_type_id,
    rebate_cycle_id, starts_on, ends_on)
select n, 'KHFZ' || n, b.company_id, :as_of::date - 371, 2, 1, b.customer_id, '客户政策' || n, 1, 1, :as_of::date - 370,
    :as_of::date - case when n = 3 then 90 else 5 end
from generate_series(1, 6) n join bill b on b.bill_id = least(n + 1, :bills);
update sales_return_line l set source_line_id = (
    select s.line_id
    from sales_return h
    join sales_outbound o on o.company_id = h.company_id and o.business_date < h.business_date - 90
    join sales_outbound_line s on s.bill_id = o.bill_id
    where h.bill_id = l.bill_id
    order by o.business_date desc, s.line_id
    limit 1
)
where l.line_id % 4 > 0;
insert into customer_rebate (bill_id, bill_no, company_id, business_date, status, maker_id, customer_id, policy_id, cycle_start, cycle_end, amount)
select n, 'KHFL' || n, b.company_id, :as_of::date - 1, case when n = 6 then 1 else 2 end, 1, b.customer_id, n, :as_of::date - 370,
    :as_of::date - 5, 100.01 * n
from generate_series(1, 6) n join bill b on b.bill_id = least(n + 1, :bills);
-- Goods pledged for loans: enough and too little, more than there is, released, overdue, voided, with nothing in it.
insert into pledge_contract (bill_id, bill_no, company_id, business_date, status, maker_id, lender, loan_amount, haircut, starts_on, ends_on,
    released_on)
select n, 'ZYHT' || n, 1 + n % :companies, :as_of::date - 200, case when n = 5 then 3 when n = 4 then 4 else 2 end, 1, '出借方' || n % 2,
    1000 * n, 10 * (n % 4), :as_of::date - 200 + 20 * n, :as_of::date + 50 - 20 * n, case when n = 4 then :as_of::date - 40 end
from generate_series(1, 6) n;
insert into pledge_contract_line (line_id, bill_id, line_no, goods_id, quantity, price)
select (n - 1) * 3 + k, n, k, k, 2 * n + k + case when n = 3 and k = 1 then 900 else 0 end, 95.5 + 60 * k from generate_series(1, 5) n, generate_series(1, 3) k;
-- Coupons: every second used, two on a bill; one on a bill that was voided later, one on none.
insert into sales_coupon (sales_coupon_id, company_id, sales_coupon_name, kind, face_amount, threshold_amount)
select n, n, '满减券' || n, n, 30 * n, 300 from generate_series(1, 2) n;
insert into sales_coupon_grant (sales_coupon_grant_id, coupon_no, sales_coupon_id, company_id, customer_id, granted_on, expires_on, face_amount)
select n, 'YHQ' || n, 1 + n % 2, 1 + n % 2, 1 + n % :customers, :as_of::date - 100 + n, :as_of::date - 20 + 2 * n, 30 * (1 + n % 2)
from generate_series(1, 20) n;
insert into sales_coupon_use (sales_coupon_use_id, sales_coupon_grant_id, bill_id, discount_amount)
select n, 2 * n, case when n = 9 then :bills + 1 else 1 + n / 2 end, 10.01 * n from generate_series(1, 9) n where :bills > 9;

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
