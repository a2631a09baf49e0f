import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore, useStore } from '../../lib/store';
import { buildBillScreen, buildField, goodsLineFields } from '../fixtures';
import { findButton, stubElementSizes, okAnswer, pageAnswer, pressButton } from '../harness';
import type { Field } from '../types';
// Its libraries are loaded before a test waits for it.
import './ChartPanel';
import {
  api,
  pressAudit,
  description,
  listCalls,
  openList,
  rows,
  actionCalls,
  tickRow,
  view,
  BASE_ROUTES,
  renderView,
} from './listHarness';
import ListPage from './ListPage';

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('a list', () => {
  it('asks 30 a page in the order of the screen and sums the whole filter', async () => {
    await openList();
    expect(listCalls()[0]?.query).toMatchObject({ page: '1', per_page: '30', order_key: 'bill_id', order_by: 'desc' });
    expect(await screen.findByText('9,876.50')).toBeTruthy();
    expect(listCalls()[0]?.query.totals).toBe('0');
    expect(screen.getByText('无权限')).toBeTruthy();
    expect(screen.getAllByText('未审核')).toHaveLength(2);
  });
  it('says of which statuses no row adds to the totals, and how many such rows there are', async () => {
    const counted = { total: 3, totals: { total_amount: '9876.50' }, uncounted: 1 };
    renderView(<ListPage screen={{ ...description, uncounted: ['已作废'] }} params={{}} />, {
      ...BASE_ROUTES,
      [`${api}/getTotals`]: () => okAnswer(counted),
    });
    expect(await screen.findByText('共 3 条，已作废 1 条不计入合计')).toBeTruthy();
    expect(screen.getByTitle('不含已作废').closest('.totals-row')).toBeTruthy();
    view.unmount();
    await openList();
    expect(await screen.findByText('共 3 条')).toBeTruthy();
    expect(screen.queryByTitle('不含已作废')).toBeNull();
  });
  it('totals a ratio as its rows tell it', async () => {
    const margin = buildField({ name: 'margin', label: '毛利率%', type: 'rate', form: false });
    renderView(<ListPage screen={{ ...description, fields: [...description.fields, margin] }} params={{}} />, {
      ...BASE_ROUTES,
      [`${api}/getList`]: () => pageAnswer([{ ...rows[0], margin: '25.5000' }]),
      [`${api}/getTotals`]: () => okAnswer({ total: 1, totals: { total_amount: '1234.50', margin: '33.3333' } }),
    });
    expect(await screen.findByText('25.50')).toBeTruthy();
    expect((await screen.findByText('33.33')).closest('.totals-row')).toBeTruthy();
  });
  it('Page sizes: 10, 30, 50, 100, 500; default 30 in lists', async () => {
    await openList();
    const sizes = await waitFor(() => document.querySelector<HTMLElement>('.page-sizes [role=combobox]')!);
    fireEvent.mouseDown(sizes);
    const offered = await screen.findAllByText(/^\d+ /, { selector: '.ant-select-item-option-content' });
    expect(offered.map((one) => parseInt(one.textContent))).toEqual([10, 30, 50, 100, 500]);
    fireEvent.click(offered[0]!);
    await waitFor(() => expect(listCalls().at(-1)?.query.per_page).toBe('10'));
  });
  it('remembers the query for the user, a link with filters of its own comes first', async () => {
    await openList();
    fireEvent.change(screen.getByLabelText('关键字'), { target: { value: 'XSCK1' } });
    await pressButton('查询');
    await waitFor(() => expect(listCalls().at(-1)?.query.keyword).toBe('XSCK1'));
    view.unmount();
    await openList();
    expect(listCalls()[0]?.query.keyword).toBe('XSCK1');
    view.unmount();
    await openList({}, { customer_id: '9' });
    expect(listCalls()[0]?.query).toMatchObject({ customer_id: '9' });
    expect(listCalls()[0]?.query.keyword).toBeUndefined();
  });
  it.each([
    ['0', undefined],
    ['-1', '-1'],
  ])('takes a link to the customer %s for %s: 0 chooses nothing, -1 those without', async (given, asked) => {
    await openList({}, { customer_id: given });
    expect(listCalls()[0]?.query.customer_id).toBe(asked);
  });
  it('finds bills by what their lines say, unless it is hidden', async () => {
    const goods = goodsLineFields.find((field) => field.name === 'goods_id')!;
    const asked = async (field: Field) => {
      renderView(
        <ListPage screen={buildBillScreen({ line_filters: [field] })} params={{ goods_id: '7' }} />,
        BASE_ROUTES,
      );
      await screen.findByText('XSCK1');
      view.unmount();
      return listCalls()[0]?.query.goods_id;
    };
    expect(await asked({ ...goods, search: true })).toBe('7');
    expect(await asked({ ...goods, search: true, masked: true })).toBeUndefined();
  });
  it('shows a chart of the whole filter when asked, of what may be seen, and keeps it', async () => {
    const chart = {
      axis: 'customer_id',
      measure: 'total_amount',
      points: [{ key: '9', name: '上海顺达', value: '1234.50' }],
      groups: 1,
      total: '1234.50',
    };
    const charted = buildBillScreen({ chart: { axes: ['customer_id', 'unknown'], measures: ['total_amount'] } });
    const shown = () =>
      renderView(<ListPage screen={charted} params={{}} />, {
        ...BASE_ROUTES,
        [`${api}/getChart`]: () => okAnswer(chart),
      });
    shown();
    fireEvent.click(await screen.findByTitle('图表'));
    expect(await screen.findByText('合计 1,234.50，共 1 项')).toBeTruthy();
    expect(actionCalls('getChart')[0]?.query).toMatchObject({ axis: 'customer_id', measure: 'total_amount' });
    expect(actionCalls('getChart')[0]?.query.page).toBeUndefined();
    view.unmount();
    shown();
    expect(await screen.findByText('合计 1,234.50，共 1 项')).toBeTruthy();
    fireEvent.click(screen.getByTitle('图表'));
    expect(screen.queryByLabelText('图表维度')).toBeNull();
  });
  it('opens a record by a double click', async () => {
    fireEvent.doubleClick(await openList());
    expect(view.tabs.open).toHaveBeenCalledWith('/sales/salesout/salesamend?id=1', '销售出库单详情');
  });
  // docs/specification.md#251
  it('says what went wrong and offers to try again', async () => {
    renderView(<ListPage screen={description} params={{}} />, {
      [`${api}/getList`]: () => ({ code: 400, msg: '查询超时' }),
    });
    expect(await screen.findByText('查询超时')).toBeTruthy();
    expect(findButton('重试')).toBeTruthy();
  });
  it('exports the whole filter and says where to find it', async () => {
    await openList({ [`${api}/export`]: () => okAnswer({ id: 1 }) });
    await pressButton('导出');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('系统正在处理，请稍后在导出任务中下载'));
    expect(actionCalls('export')[0]?.query).not.toHaveProperty('page');
  });
});

describe('a report', () => {
  const report = buildBillScreen({ usual: { business_date_start: '2026-11-01' }, found_by: 'customer_id' });
  const openReport = (marks = {}, params = {}, told = {}) => {
    renderView(<ListPage screen={{ ...report, ...marks }} params={params} />, {
      ...BASE_ROUTES,
      [`${api}/getList`]: () =>
        okAnswer({ ...(pageAnswer(rows).data as object), refreshed_at: '2026-11-20 08:30:00', ...told }),
    });
    return screen.findByText('XSCK1');
  };
  const asked = () => listCalls().at(-1)?.query.business_date_start;

  it('says how fresh it is, and what a keyword finds', async () => {
    await openReport();
    expect(screen.getByRole('status').textContent).toBe('数据截至 2026-11-20 08:30:00');
    expect(screen.getByPlaceholderText('客户编码 / 名称 / 规格 / 拼音')).toBeTruthy();
  });
  it('says why its figures are no newer, and may change', async () => {
    await openReport();
    expect(screen.queryByRole('alert')).toBeNull();
    view.unmount();
    const notices = [
      '数据校验未通过，显示的是 2026-11-20 08:30:00 的数据',
      '上海公司、2026-09 起的期间正在重算成本，数字可能变化',
    ];
    await openReport({}, {}, { notices });
    expect(screen.getAllByRole('alert').map((each) => each.textContent)).toEqual(notices);
  });
  it('opens with its usual filters, and comes back to them', async () => {
    await openReport();
    expect(asked()).toBe('2026-11-01');
    view.unmount();
    await openReport({}, { business_date_start: '2026-10-01' });
    expect(asked()).toBe('2026-10-01');
    await pressButton('重置');
    await waitFor(() => expect(asked()).toBe('2026-11-01'));
  });
  it('keeps what the user chose, and renews what he left as usual', async () => {
    await openReport();
    fireEvent.change(screen.getByLabelText('关键字'), { target: { value: 'XSCK' } });
    await pressButton('查询');
    await waitFor(() => expect(listCalls().at(-1)?.query.keyword).toBe('XSCK'));
    view.unmount();
    await openReport({ usual: { business_date_start: '2026-12-01' } });
    expect(listCalls().at(-1)?.query).toMatchObject({ keyword: 'XSCK', business_date_start: '2026-12-01' });
    view.unmount();
    localStorage.setItem(
      Object.keys(localStorage).find((name) => name.includes('query:sales_outbound'))!,
      JSON.stringify({ filters: { business_date_start: '2026-05-05' }, usual: { business_date_start: '2026-12-01' } }),
    );
    await openReport({ usual: { business_date_start: '2026-12-02' } });
    expect(asked()).toBe('2026-05-05');
  });
  it('that stays open follows the day in what was left as usual', async () => {
    const described = createStore({ ...report, usual: { business_date_start: '2026-12-01' } });
    const Described = () => <ListPage screen={useStore(described, (found) => found)} params={{}} />;
    renderView(<Described />, BASE_ROUTES);
    await waitFor(() => expect(asked()).toBe('2026-12-01'));
    act(() => described.set((found) => ({ ...found, usual: { business_date_start: '2026-12-02' } })));
    await waitFor(() => expect(asked()).toBe('2026-12-02'));
  });
  it('has the columns that it is summed up by', async () => {
    const columns = { '1': ['bill_no'], '2': ['business_date'] };
    const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    await openReport({ groups: { by: 'grouping', columns }, usual: { grouping: '1' } });
    expect(heads()).toContain('单据号');
    expect(heads()).not.toContain('业务日期');
    view.unmount();
    await openReport({ groups: { by: 'grouping', columns }, usual: { grouping: '2,1' } });
    expect(heads()).toEqual(expect.arrayContaining(['单据号', '业务日期']));
  });
  it('has the figures that matter before the other columns, its filters in their order', async () => {
    await openReport({ leading: ['customer_id', 'total_amount'] });
    const heads = screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    const from = heads.indexOf('客户');
    expect(heads.slice(from)).toEqual(['客户', '金额合计', '单据号', '业务日期', '状态', '仓库', '备注']);
    expect(heads.slice(0, from)).toEqual(['', '序号']);
    expect([...document.querySelectorAll('.filter-label')].map(({ textContent }) => textContent)).toEqual([
      '单据号',
      '业务日期',
      '状态',
      '客户',
    ]);
  });
  it('is summed up as usual by a link that says no other way', async () => {
    const groups = { by: 'status', columns: { '1': ['remark'], '2': ['total_amount'] } };
    const usual = { status: '1', business_date_start: '2026-11-01' };
    await openReport({ groups, usual }, { customer_id: '9' });
    expect(listCalls().at(-1)?.query).toMatchObject({ status: '1', customer_id: '9' });
    expect(asked()).toBeUndefined();
    view.unmount();
    await openReport({ groups, usual }, { customer_id: '9', status: '2' });
    expect(listCalls().at(-1)?.query).toMatchObject({ status: '2', customer_id: '9' });
  });
  it('finds a choice by its name', async () => {
    const options = [
      { value: 'XSCK', label: '销售出库' },
      { value: 'CGRK', label: '采购入库' },
    ];
    await openReport({
      fields: [
        buildField({ name: 'bill_type', label: '单据类型', type: 'enum', options, search: true }),
        ...report.fields,
      ],
    });
    const search = screen.getByRole('combobox', { name: '单据类型' });
    fireEvent.mouseDown(search);
    fireEvent.change(search, { target: { value: '采购' } });
    await waitFor(() => expect(screen.queryByTitle('销售出库')).toBeNull());
    fireEvent.click(screen.getByTitle('采购入库'));
    fireEvent.keyDown(search, { key: 'Enter' });
    expect(await screen.findAllByTitle('采购入库')).not.toHaveLength(0);
  });
  it('asks for the one day until which it counts, which a link leaves as usual', async () => {
    const until = buildField({
      name: 'as_of',
      label: '截止日期',
      type: 'date',
      span: 'until',
      search: true,
      list: false,
    });
    const marks = { fields: [until, ...report.fields], usual: { as_of_end: '2026-11-20' } };
    await openReport(marks, { customer_id: '9', as_of_start: '2026-11-01' });
    expect(listCalls().at(-1)?.query).toMatchObject({ as_of_end: '2026-11-20', customer_id: '9' });
    expect(listCalls().at(-1)?.query.as_of_start).toBeUndefined();
    const days = [...document.querySelectorAll<HTMLInputElement>('.filter-bar input')].filter(({ value }) =>
      value.startsWith('2026'),
    );
    expect(days.map(({ value }) => value)).toEqual(['2026-11-20']);
    view.unmount();
    await openReport(marks, { as_of_end: '2026-10-31' });
    expect(listCalls().at(-1)?.query.as_of_end).toBe('2026-10-31');
  });
  it('is asked for months where its dates stand for them', async () => {
    const month = buildField({ name: 'month', label: '发放月份', type: 'date', span: 'month', search: true });
    await openReport({
      fields: [month, ...report.fields],
      usual: { month_start: '2026-10-01', month_end: '2026-11-30' },
    });
    const months = [...document.querySelectorAll<HTMLInputElement>('.filter-range input')].slice(0, 2);
    expect(months.map(({ value }) => value)).toEqual(['2026-10', '2026-11']);
  });
  it('leads on to the bill of a row, in a tab of its number', async () => {
    const drill = { label: '单据', route: '', by: {}, route_field: 'route' };
    renderView(<ListPage screen={{ ...report, drill, routes: { list: '/report/r' } }} params={{}} />, {
      ...BASE_ROUTES,
      [`${api}/getList`]: () => pageAnswer([{ ...rows[0], route: '/sales/salesamend?id=1' }]),
    });
    fireEvent.doubleClick(await screen.findByText('XSCK1'));
    expect(view.tabs.open).toHaveBeenLastCalledWith('/sales/salesamend?id=1', 'XSCK1');
  });
  it('leads on with the row as a filter, named for who reads it', async () => {
    const drill = {
      label: '往来明细',
      route: '/x/y',
      by: { customer_id: 'customer_id', day_start: 'business_date' },
      route_field: '',
    };
    renderView(<ListPage screen={{ ...report, drill, routes: { list: '/report/r' } }} params={{}} />, {
      ...BASE_ROUTES,
      [`${api}/getList`]: () => pageAnswer([{ ...rows[0], customer_id: 7 }]),
    });
    fireEvent.doubleClick(await screen.findByText('XSCK1'));
    const [address, label] = view.tabs.open.mock.lastCall as [string, string];
    expect(label).toBe('往来明细');
    expect(Object.fromEntries(new URLSearchParams(address.split('?')[1]))).toEqual({
      customer_id: '7',
      customer_id__label: '上海顺达',
      day_start: '2026-11-01',
    });
  });
  it.each([
    [
      'of several records that its list is narrowed to, the row says which',
      7,
      { customer_id: '7', customer_id__label: '上海顺达' },
    ],
    ['a row of all of them leads to all of them', null, { customer_id: '7,8', customer_id__label: '["甲","乙"]' }],
  ])('leads on narrowed as the list is: %s', async (_, customer_id, led) => {
    const drill = { label: '往来明细', route: '/x/y', by: { day_start: 'business_date' }, route_field: '' };
    const params = { customer_id: '7,8', customer_id__label: '["甲","乙"]', status: '2' };
    renderView(<ListPage screen={{ ...report, drill, routes: { list: '/report/r' } }} params={params} />, {
      ...BASE_ROUTES,
      [`${api}/getList`]: () => pageAnswer([{ ...rows[0], customer_id }]),
    });
    fireEvent.doubleClick(await screen.findByText('XSCK1'));
    const [address] = view.tabs.open.mock.lastCall as [string, string];
    expect(Object.fromEntries(new URLSearchParams(address.split('?')[1]))).toEqual({ ...led, day_start: '2026-11-01' });
  });
  it('of other lists nothing is said', async () => {
    await openList();
    expect(screen.queryByRole('status')).toBeNull();
  });
});

describe('batch actions', () => {
  it('need a selection', async () => {
    await openList();
    await pressButton('删除');
    expect(view.told.at(-1)).toMatchObject({ level: 'warning', msg: '请选择要删除的信息' });
  });
  it('ask first, and say when one changed his mind', async () => {
    await openList();
    tickRow('XSCK1');
    await pressButton('删除');
    await pressButton('取消');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('已取消删除'));
    expect(actionCalls('del')).toHaveLength(0);
  });
  it('tell who failed and why, and mark those rows', async () => {
    const failures = [{ index: 2, serial: 'XSCK2', msg: '已被引用' }];
    await openList({ [`${api}/del`]: () => okAnswer({ success: [1], failures }) });
    tickRow('XSCK1');
    tickRow('XSCK2');
    await pressButton('删除');
    await pressButton('确定');
    await waitFor(() =>
      expect(view.told.at(-1)).toEqual({
        level: 'error',
        msg: '选择2条，成功删除1条，被引用的数据不能删除',
        failures: [],
        seconds: 5,
      }),
    );
    expect(await screen.findByText(/已被引用/)).toBeTruthy();
    await waitFor(() => expect(screen.getByText('XSCK2').closest('.ant-table-row')?.className).toContain('error-row'));
    expect(screen.getByText('XSCK1').closest('.ant-table-row')?.className).not.toContain('error-row');
  });
  it('tells what is to be known of its rows', async () => {
    renderView(<ListPage screen={{ ...description, note: '多项促销不叠加' }} params={{}} />, BASE_ROUTES);
    expect(await screen.findByText('多项促销不叠加')).toBeTruthy();
  });

  it('363 asks whether to go on, and goes on confirmed', async () => {
    const answer = (call: { body: Record<string, unknown> }) =>
      call.body.confirmed
        ? okAnswer({ success: [1], failures: [] })
        : { code: 363, msg: '', data: { warehouse_name: '中心仓' } };
    await openList({ [`${api}/auditorPass`]: answer });
    tickRow('XSCK1');
    await pressAudit();
    expect(await screen.findByText(/您好，您的库存 中心仓 已经低于该仓库的安全库存，是否继续？/)).toBeTruthy();
    await pressButton('继续');
    await waitFor(() => expect(actionCalls('auditorPass').map((call) => call.body.confirmed)).toEqual([false, true]));
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('审核成功'));
  });
  it('in a batch those that 363 stopped go on once passed', async () => {
    const failures = [{ index: 2, serial: 'XSCK2', msg: '您好，您的库存 中心仓 已经低于该仓库的安全库存', code: 363 }];
    const answer = (call: { body: Record<string, unknown> }) =>
      call.body.confirmed ? okAnswer({ success: [2], failures: [] }) : okAnswer({ success: [1], failures });
    await openList({ [`${api}/auditorPass`]: answer });
    tickRow('XSCK1');
    tickRow('XSCK2');
    await pressAudit();
    await screen.findByText(/低于该仓库的安全库存/);
    await pressButton('通过');
    await waitFor(() => expect(actionCalls('auditorPass').map((call) => call.body.ids)).toEqual([[1, 2], [2]]));
    expect(screen.getByText('XSCK2').closest('.ant-table-row')?.className).not.toContain('error-row');
  });
  it('362 stops', async () => {
    await openList({
      [`${api}/auditorPass`]: () => ({ code: 362, msg: '您好，您的库存 中心仓 已经低于该仓库的安全库存' }),
    });
    tickRow('XSCK1');
    await pressAudit();
    await screen.findByText(/低于该仓库的安全库存/);
    expect(findButton('继续')).toBeUndefined();
    expect(actionCalls('auditorPass')).toHaveLength(1);
  });
  it('are sent with what they ask for, and not without', async () => {
    const marks = { scope: 'batch', from: null, confirm: null, reason: false, danger: false } as const;
    const hand = { name: 'transfer', label: '转移', asks: ['remark'], ...marks };
    const asking = { ...description, actions: [hand] };
    renderView(<ListPage screen={asking} params={{}} />, {
      ...BASE_ROUTES,
      [`${api}/transfer`]: () => okAnswer({ success: [1], failures: [] }),
    });
    await screen.findByText('XSCK1');
    tickRow('XSCK1');
    await pressButton('转移');
    await pressButton('确定');
    await waitFor(() => expect(view.told.at(-1)).toMatchObject({ level: 'warning', msg: '请选择备注' }));
    expect(actionCalls('transfer')).toHaveLength(0);
    fireEvent.change(screen.getByLabelText('备注', { selector: 'textarea' }), { target: { value: '交接' } });
    await pressButton('确定');
    await waitFor(() =>
      expect(actionCalls('transfer').map((call) => call.body)).toMatchObject([{ ids: [1], remark: '交接' }]),
    );
  });
  it('are off where no chosen bill allows them', async () => {
    await openList();
    tickRow('XSCK3');
    expect(findButton('审核')?.disabled).toBe(true);
  });
});
