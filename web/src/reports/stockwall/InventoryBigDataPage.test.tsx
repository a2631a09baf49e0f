import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { findButton, stubElementSizes, okAnswer, renderPage } from '@/engine/harness';
import type { AuditedBill, StockHealth, StockOverview } from '@/gen';
import InventoryBigDataPage from './InventoryBigDataPage';

const api = 'v2/report/InventoryBigData';
const whole: StockHealth = {
  quantity: '1200',
  amount: '234567890.00',
  goods_count: 420,
  sold_out_count: 3,
  sluggish_quantity: '300',
  sluggish_amount: '56789.00',
  sluggish_rate: '24.20',
  sales_30: '900',
  cover_days: '40.0',
  turnover_days: null,
};
const overview: StockOverview = {
  refreshed_at: '2026-11-22 10:00:00',
  by_value: true,
  whole,
  provinces: [
    { ...whole, province_name: '浙江省' },
    { ...whole, province_name: '未指定' },
  ],
  companies: [{ ...whole, company_id: 2, company_name: '杭州公司' }],
  aging: [{ bucket: '0–30天', quantity: '900', amount: '9000.00' }],
  months: [{ month: '2026-11', closing_quantity: '1200', closing_amount: '234567890.00', turnover_days: '33.0' }],
};
const bill: AuditedBill = {
  log_id: 9,
  label: '销售出库单',
  bill_no: 'XSCK1',
  company_name: '杭州公司',
  amount: '226.00',
  audited_at: '2026-11-22 09:58:00',
  url: '/sales/salesoutSee?id=9',
};
let stockOverview: StockOverview;
let notices: string[];
let view: ReturnType<typeof renderPage>;

const open = () => {
  view = renderPage(
    <InventoryBigDataPage screen={{ ...buildBillScreen(), name: 'inventory_big_data', api, actions: [] }} />,
    {
      'v2/report/Frame/getRefreshedAt': () => okAnswer({ refreshed_at: stockOverview.refreshed_at, notices }),
      [`${api}/getOverview`]: () => okAnswer(stockOverview),
      [`${api}/getTicker`]: () => okAnswer([bill]),
    },
  );
};
// Charts write the same words into their legends.
const figure = (label: string) => screen.findByRole('link', { name: new RegExp(`^${label}`) });

beforeEach(() => {
  stubElementSizes();
  stockOverview = overview;
  notices = [];
});
afterEach(() => view.done());

describe('the stock wall', () => {
  // docs/specification.md#128
  it('shows stock, what is sold out and sluggish, cover and turnover, each leading to its report', async () => {
    open();
    expect((await figure('库存金额')).textContent).toContain('2.35亿');
    expect((await figure('断货品种')).textContent).toContain('3');
    expect((await figure('呆滞占比')).textContent).toContain('24.2%');
    const leads = async (label: string) => decodeURIComponent((await figure(label)).getAttribute('href')!);
    expect(await leads('断货品种')).toBe('/report/goodsinventoryrpt?cover=断货');
    expect((await figure('断货品种')).textContent).toContain('按仓库计');
    expect(await leads('呆滞占比')).toBe('/report/sluggishstock?threshold=180天以上');
    expect(await leads('周转天数')).toBe('/inventory/CompanyInventoryreport');
    expect((await figure('周转天数')).textContent).toContain('—');
    expect(screen.getByText('数据更新于 2026-11-22 10:00:00')).toBeTruthy();
  });

  it('is exported of the company that is looked at, with the right to export', async () => {
    const described = buildBillScreen();
    view = renderPage(
      <InventoryBigDataPage
        screen={{ ...described, name: 'inventory_big_data', api, report: 'InventoryBigData', filed: true }}
      />,
      {
        'v2/report/Frame/getRefreshedAt': () => okAnswer({ refreshed_at: stockOverview.refreshed_at, notices }),
        [`${api}/getOverview`]: () => okAnswer(stockOverview),
        [`${api}/getTicker`]: () => okAnswer([bill]),
        'v2/report/Frame/export': () => okAnswer({ export_id: 1, file_name: 'a.pdf' }),
      },
    );
    fireEvent.click(await screen.findByRole('button', { name: /导出/ }));
    fireEvent.click(await screen.findByText('PDF'));
    const sent = () => view.calls.filter(({ path }) => path === 'v2/report/Frame/export');
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]?.body).toEqual({ code: 'InventoryBigData', tab: 'all', form: 'pdf', filters: {} });
    view.done();
    open();
    await figure('库存金额');
    expect(screen.queryByRole('button', { name: /导出/ })).toBeNull();
  });

  it('says why figures stand still, or may change', async () => {
    notices = [
      '数据刷新失败，系统正在重试，显示的是 2026-11-22 10:00:00 的数据',
      '杭州公司、2026-09 起的期间正在重算成本，数字可能变化',
    ];
    open();
    await waitFor(() => expect(screen.getAllByRole('alert').map((each) => each.textContent)).toEqual(notices));
    expect(await figure('库存金额')).toBeTruthy();
  });

  it('tells of a province, also of one that the map has not', async () => {
    open();
    const panel = await screen.findByRole('region', { name: '各省库存金额' });
    fireEvent.click(within(panel).getByRole('button', { name: /未指定/ }));
    expect(within(panel).getByText(/呆滞 24.2%，断货 3 种/)).toBeTruthy();
  });

  it('goes by quantity where cost is hidden', async () => {
    const hidden = { amount: '无权限', sluggish_amount: '无权限' };
    stockOverview = {
      ...overview,
      by_value: false,
      whole: { ...whole, ...hidden },
      provinces: overview.provinces.map((one) => ({ ...one, ...hidden })),
      companies: overview.companies.map((one) => ({ ...one, ...hidden })),
      aging: overview.aging.map((one) => ({ ...one, amount: '无权限' })),
    };
    open();
    expect((await figure('库存数量')).textContent).toContain('1,200');
    expect(screen.getByRole('region', { name: '库龄（数量）' })).toBeTruthy();
    expect(screen.queryByText(/无权限/)).toBeNull();
  });

  it('runs what was audited last, each bill a link', async () => {
    open();
    const panel = await screen.findByRole('region', { name: '最新审核的单据' });
    const link = await within(panel).findByRole('link');
    expect(link.textContent).toContain('11-22 09:58');
    expect(link.getAttribute('href')).toBe('/sales/salesoutSee?id=9');
  });

  it('says so where there is no stock, or no figures yet', async () => {
    stockOverview = { ...overview, companies: [] };
    open();
    expect(await screen.findByText('您的数据范围内还没有库存')).toBeTruthy();
    view.done();
    view = renderPage(
      <InventoryBigDataPage screen={{ ...buildBillScreen(), name: 'inventory_big_data', api, actions: [] }} />,
      {
        [`${api}/getOverview`]: () => ({ code: 400, msg: '报表数据尚未发布，请稍后再查询' }),
      },
    );
    expect(await screen.findByText('报表数据尚未发布，请稍后再查询')).toBeTruthy();
    const asked = () => view.calls.filter(({ path }) => path === `${api}/getOverview`).length;
    const before = asked();
    fireEvent.click(findButton('重试')!);
    await waitFor(() => expect(asked()).toBeGreaterThan(before));
  });
});
