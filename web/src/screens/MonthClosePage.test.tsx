import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import {
  findButton,
  stubElementSizes,
  okAnswer,
  pageAnswer,
  pressButton,
  renderPage,
  type FakeRoutes,
} from '@/engine/harness';
import MonthClosePage from './MonthClosePage';

const api = 'v2/system/MonthClose';
const action = (name: string) => ({
  name,
  label: name,
  scope: 'batch' as const,
  from: null,
  confirm: null,
  reason: false,
  danger: false,
});
const description = {
  ...buildBillScreen(),
  name: 'month_close',
  api,
  actions: [action('closePeriod'), action('openPeriod')],
};
const question = (count: number) => ({
  name: 'bills_decided',
  label: '本期单据都已审核或作废',
  advice: '请审核、作废或删除以下单据',
  blocking: true,
  count,
  rows: count ? [{ serial: 'QTRK1', msg: '其他入库未审核', route: '/inventory/otheninstorageSee?id=5' }] : [],
});
const base: FakeRoutes = {
  [`${api}/getQuestions`]: () => okAnswer([question(0)]),
  [`${api}/getList`]: () => pageAnswer([]),
  [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
  [`${api}/getConsequence`]: () =>
    okAnswer({
      effect: '锁定',
      undo: '反结账',
      facts: [{ label: '单据', value: '12 张' }],
      warnings: ['供应商往来未核对（2）：请核对'],
    }),
};

let view: ReturnType<typeof renderPage>;
const open = (routes: FakeRoutes = {}) => {
  view = renderPage(<MonthClosePage screen={description} />, { ...base, ...routes });
  return screen.findByText('本期单据都已审核或作废');
};
const sentCalls = (name: string) => view.calls.filter((call) => call.path === `${api}/${name}`);

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('the month close', () => {
  it('asks about the month before in the user’s company, and closes it', async () => {
    await open({ [`${api}/closePeriod`]: () => okAnswer({ period: '2026-10', bill_count: 12 }) });
    expect(sentCalls('getQuestions')[0]?.query.company_id).toBe('2');
    await pressButton('结账');
    expect(await screen.findByText('12 张')).toBeTruthy();
    expect(await screen.findByText('供应商往来未核对（2）：请核对')).toBeTruthy();
    expect(sentCalls('closePeriod')).toHaveLength(0);
    await pressButton('确认结账');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('已结账，锁定 12 张单据'));
    expect(sentCalls('closePeriod')[0]?.body).toEqual({
      company_id: 2,
      period: sentCalls('getQuestions')[0]?.query.period,
    });
  });

  it('lists what stands in the way, each a link to where it is mended', async () => {
    await open({ [`${api}/getQuestions`]: () => okAnswer([question(3)]) });
    expect((findButton('结账') as HTMLButtonElement).disabled).toBe(true);
    fireEvent.click(document.querySelector('.ant-table-row-expand-icon')!);
    fireEvent.click(await screen.findByText('QTRK1'));
    expect(view.tabs.open).toHaveBeenCalledWith('/inventory/otheninstorageSee?id=5', 'QTRK1');
    expect(screen.getByText('另有 2 条未列出')).toBeTruthy();
  });

  it('opens a month again with a reason', async () => {
    await open({ [`${api}/openPeriod`]: () => okAnswer({ period: '2026-10', bill_count: 12 }) });
    await pressButton('反结账');
    const reason = await screen.findByLabelText('反结账原因');
    await pressButton('确认反结账');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('请填写反结账原因'));
    fireEvent.change(reason, { target: { value: '补录' } });
    await pressButton('确认反结账');
    await waitFor(() => expect(sentCalls('openPeriod')[0]?.body.reason).toBe('补录'));
  });
});
