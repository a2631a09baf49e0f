import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { findButton, stubElementSizes, okAnswer, renderPage, type FakeRoutes } from '@/engine/harness';
import type {
  ActivityMonth,
  MonthActivity as Activity,
  ProvinceSales,
  Ranking,
  SalesCase,
  Salesman,
  TodaySales,
} from '@/gen';
import { PageActiveContext } from '@/lib/tabs';
import BusinessDataPage from './BusinessDataPage';
import ConsoleOverview from './ConsoleOverview';

const calls = 'v2/system/Console';
const sold = { bill_count: 3, quantity: '8', amount: '1017.00', revenue: '900.00', profit: '100.00', margin: '11.11' };
const today: SalesCase = {
  ...sold,
  key: 'today',
  label: '今天',
  day: '2026-11-22',
  order_count: 1,
  order_amount: '452.00',
  receipts: '50.00',
};
const cases: SalesCase[] = [
  today,
  { ...today, key: 'yesterday', label: '昨天', day: '2026-11-21', revenue: '600.00' },
  { ...today, key: 'last_year', label: '去年同日', day: '2025-11-22', revenue: '0.00' },
];
const paid = { purchase: '1000.00', receipts: '50.00', payments: '0.00', new_overdue: '0.00' };
const month: ActivityMonth = {
  ...sold,
  ...paid,
  key: 'this',
  label: '本月',
  first_day: '2026-11-01',
  last_day: '2026-11-22',
  revenue: '1234567.00',
};
const days = [{ ...sold, ...paid, day: '2026-11-22' }];
const best: Ranking = {
  ...sold,
  id: 5,
  name: '米其林轮胎',
  share: '60.00',
  previous_revenue: '450.00',
  change: '100.00',
};

const province: ProvinceSales = { ...best, province_name: '浙江省', customer_count: 4 };
const salesman: Salesman = {
  ...best,
  company_id: 1,
  company_name: '杭州公司',
  employee_id: 3,
  employee_name: '李四',
  curve: ['900.00'],
};

let view: ReturnType<typeof renderPage>;

function open(
  answers: Partial<{ today: TodaySales; month: Activity; ranking: Ranking[]; people: Salesman[] }> = {},
  more: FakeRoutes = {},
  page = <ConsoleOverview />,
) {
  view = renderPage(page, {
    'v2/report/Frame/getRefreshedAt': () => okAnswer({ refreshed_at: '2026-11-22 10:00:00', notices: [] }),
    [`${calls}/getTodaySalesCaseList`]: () => okAnswer(answers.today ?? { cases, days: [] }),
    [`${calls}/getMonthCctivityList`]: () => okAnswer(answers.month ?? { days, months: [month, month, month] }),
    [`${calls}/getRankingList`]: () => okAnswer(answers.ranking ?? [best]),
    [`${calls}/getMonthlyProvinces`]: () => okAnswer([province]),
    [`${calls}/getSalesmanCharts`]: () => okAnswer({ days: ['2026-11-22'], people: answers.people ?? [salesman] }),
    ...more,
  });
}

/** A chart's legend, once it is drawn, says the same words. */
const linkOf = async (text: string) => (await screen.findByText(text, { selector: 'a *' })).closest('a');

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('business on the home page', () => {
  it('tells today’s figures beside those before, each leading to what it adds up', async () => {
    open();
    const revenue = await linkOf('销售收入（未税）');
    expect(revenue?.textContent).toContain('900');
    // Today isn't over: it is no half more than the whole of yesterday.
    expect(revenue?.textContent).toContain('昨天全天 600去年同日全天 0');
    expect(revenue?.textContent).not.toMatch(/[↑↓%]/);
    expect(screen.getByText('到目前为止，不与整天比变化')).toBeTruthy();
    expect(revenue?.getAttribute('href')).toBe(
      '/report/salesdetrpt?business_date_start=2026-11-22&business_date_end=2026-11-22',
    );
    expect((await linkOf('毛利率 11.1%'))?.getAttribute('href')).toContain('/report/');
    // Only bills that count are counted.
    for (const [label, list] of [
      ['销售订单', 'salesorder'],
      ['出库金额', 'salesout'],
    ] as const) {
      const href = (await linkOf(label))?.getAttribute('href');
      expect(href).toBe(`/sales/${list}?business_date_start=2026-11-22&business_date_end=2026-11-22&status=2%2C4%2C5`);
    }
    for (const link of await screen.findAllByText('收款', { selector: 'a *' }))
      expect(link.closest('a')?.getAttribute('href')).toContain('/report/receiptdetrpt?');
    expect((await screen.findByText('123.5万')).closest('a')?.getAttribute('href')).toContain(
      'business_date_start=2026-11-01',
    );
  });

  it('keeps still while it waits behind another tab', () => {
    const waiting = () => document.querySelectorAll('.ant-skeleton').length;
    const moving = () => document.querySelectorAll('.ant-skeleton-active').length;
    open({}, {}, <ConsoleOverview />);
    expect(moving()).toBeGreaterThan(3);
    view.done();
    open(
      {},
      {},
      <PageActiveContext value={false}>
        <ConsoleOverview />
      </PageActiveContext>,
    );
    expect(waiting()).toBeGreaterThan(3);
    expect(moving()).toBe(0);
  });

  it('marks what is bad: less sold, more overdue, but not more bought', async () => {
    const before = { ...month, revenue: '2000000.00', purchase: '10.00', new_overdue: '1.00' };
    open({ month: { days, months: [{ ...month, new_overdue: '2.00' }, before, before] } });
    const marks = async (label: string) => (await linkOf(label))?.querySelector('small span span')?.className;
    expect(await screen.findByText('本月经营动态')).toBeTruthy();
    expect(await marks('采购')).toMatch(/even/);
    expect(await marks('新增逾期')).toMatch(/bad/);
    expect(await marks('销售收入')).toMatch(/bad/);
  });

  it('tells no change of a month whose first day runs', async () => {
    const begun = { ...month, first_day: '2026-11-01', last_day: '2026-11-01' };
    const earlier = { ...month, revenue: '1000000.00' };
    const told = async () => (await screen.findByText('123.5万')).closest('a')?.textContent;
    open({ month: { days, months: [month, earlier, earlier] } });
    expect(await told()).toContain('环比 ↑ 23.5%');
    view.done();
    open({ month: { days, months: [begun, earlier, earlier] } });
    expect(await told()).toContain('环比 —同比 —');
  });

  it('leaves out what the role hides or does not reach', async () => {
    const hidden = { profit: '无权限', margin: '无权限', receipts: null };
    const unpaid = { purchase: null, receipts: null, payments: null, new_overdue: null };
    open({
      today: { cases: cases.map((one) => ({ ...one, ...hidden })), days: [] },
      month: {
        days: [{ ...days[0]!, ...hidden, ...unpaid }],
        months: [month, month, month].map((one) => ({ ...one, ...hidden, ...unpaid })),
      },
      ranking: [{ ...best, profit: '无权限', margin: '无权限' }],
      people: [{ ...salesman, profit: '无权限', margin: '无权限' }],
    });
    expect(await screen.findByText('销售收入（未税）')).toBeTruthy();
    await screen.findByText('米其林轮胎');
    const chart = await screen.findByRole('img', { name: '本月业务员销售收入' }, { timeout: 15_000 });
    await waitFor(() => expect(chart.textContent).toContain('李四'));
    for (const absent of ['毛利', '收款', '采购', '付款', '新增逾期', '无权限'])
      expect(screen.queryByText(absent), absent).toBeNull();
  });

  it('ranks what is asked for, and leads a row to its lines', async () => {
    open();
    const row = await linkOf('米其林轮胎');
    expect(row?.getAttribute('href')).toContain('goods_id=5');
    expect(row?.textContent).toContain('60.0%');
    expect(screen.getByText('商品排名（本月）')).toBeTruthy();
    fireEvent.click(screen.getByText('客户'));
    expect(screen.getByText('客户排名（本月）')).toBeTruthy();
    await waitFor(() => expect(view.calls.some(({ query }) => query.type === 'customer')).toBe(true));
    await waitFor(async () => expect((await linkOf('米其林轮胎'))?.getAttribute('href')).toContain('customer_id=5'));
  });

  it('tells where and by whom most was sold', async () => {
    open();
    expect(await screen.findByRole('button', { name: /浙江省/ })).toBeTruthy();
    const chart = await screen.findByRole('img', { name: '本月业务员销售收入' }, { timeout: 15_000 });
    await waitFor(() => expect(chart.textContent).toContain('李四'));
  });

  it('says in words that there is nothing, or why there is not', async () => {
    let broken = true;
    open(
      { ranking: [] },
      {
        [`${calls}/getTodaySalesCaseList`]: () =>
          broken ? { code: 400, msg: '报表数据尚未发布，请稍后再查询', data: null } : okAnswer({ cases, days: [] }),
      },
    );
    expect(await screen.findByText('本月还没有销售')).toBeTruthy();
    const told = await screen.findByText('报表数据尚未发布，请稍后再查询');
    expect(within(screen.getByRole('region', { name: '经营数据' })).getAllByText('今日销售')).toHaveLength(1);
    expect(told).toBeTruthy();
    broken = false;
    fireEvent.click(findButton('重试')!);
    expect(await linkOf('销售收入（未税）')).toBeTruthy();
  });
});

describe('the page of business data', () => {
  it('says once what to know of its figures, above them', async () => {
    const notices = [
      '数据刷新失败，系统正在重试，显示的是 2026-11-22 10:00:00 的数据',
      '杭州公司、2026-09 起的期间正在重算成本，数字可能变化',
    ];
    const described = buildBillScreen({ actions: [] });
    open(
      {},
      {
        'v2/report/Frame/getRefreshedAt': () => okAnswer({ refreshed_at: '2026-11-22 10:00:00', notices }),
        [`${described.api}/getList`]: () =>
          okAnswer({ data: [], current_page: 1, per_page: 30, last_page: 1, notices }),
        [`${described.api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
      },
      <BusinessDataPage screen={described} params={{}} />,
    );
    await waitFor(() => expect(view.calls.some(({ path }) => path.endsWith('getTotals'))).toBe(true));
    expect(await screen.findByText('数据更新于 2026-11-22 10:00:00')).toBeTruthy();
    expect(screen.getAllByRole('alert').map((each) => each.textContent)).toEqual(notices);
  });

  it('offers its days as a file, as every report does', async () => {
    const described = { ...buildBillScreen(), report: 'businessData', filed: true };
    open(
      {},
      {
        [`${described.api}/getList`]: () => okAnswer({ data: [], current_page: 1, per_page: 30, last_page: 1 }),
        [`${described.api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
        'v2/report/Frame/export': () => okAnswer({ export_id: 1, file_name: 'a.pdf' }),
      },
      <BusinessDataPage screen={described} params={{}} />,
    );
    fireEvent.click(await screen.findByRole('button', { name: /导出/ }));
    fireEvent.click(await screen.findByText('PDF'));
    const sent = () => view.calls.filter(({ path }) => path === 'v2/report/Frame/export');
    await waitFor(() => expect(sent()[0]?.body).toMatchObject({ code: 'businessData', tab: 'all', form: 'pdf' }));
  });
});
