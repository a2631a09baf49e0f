import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, pressButton, renderPage, type FakeRoutes } from '@/engine/harness';
import CostRecalculationPage from './CostRecalculationPage';

const api = 'v2/system/CostRecalculate';
const start = {
  name: 'start',
  label: '重算',
  scope: 'batch' as const,
  from: null,
  confirm: null,
  reason: false,
  danger: false,
};
const description = { ...buildBillScreen(), name: 'cost_recalculation', api, actions: [start] };
const underWay = {
  recalculation_id: 7,
  company_name: '总公司',
  period: '2026-03',
  goods_done: '50',
  goods_total: '200',
};

let view: ReturnType<typeof renderPage>;
const open = (rows: object[], routes: FakeRoutes = {}, described = description) => {
  view = renderPage(<CostRecalculationPage screen={described} />, {
    [`${api}/getList`]: ({ query }) => pageAnswer(query.status === '0,1' ? (rows as never) : []),
    [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
    ...routes,
  });
  return screen.findByText('重算记录');
};

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('the cost recalculation', () => {
  it('starts one for the user’s company from a month on', async () => {
    const about = {
      effect: '重算',
      undo: '不能恢复原来的成本',
      facts: [{ label: '涉及商品', value: '200 个' }],
      warnings: [],
    };
    await open([], {
      [`${api}/start`]: () => okAnswer({ recalculation_id: 7 }),
      [`${api}/getConsequence`]: () => okAnswer(about),
    });
    await pressButton('开始重算');
    expect(await screen.findByText('200 个')).toBeTruthy();
    expect(view.calls.some((call) => call.path === `${api}/start`)).toBe(false);
    await pressButton('确认重算');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('已开始重算，进度见下'));
    const sent = view.calls.find((call) => call.path === `${api}/start`);
    expect(sent?.body.company_id).toBe(2);
    expect(sent?.body.period).toMatch(/^\d{4}-\d\d$/);
  });

  it('shows how far the one under way is', async () => {
    await open([underWay]);
    expect(await screen.findByText('50 / 200 个商品')).toBeTruthy();
    expect(screen.getByText('25%')).toBeTruthy();
  });

  it('offers no start without the right', async () => {
    await open([], {}, { ...description, actions: [] });
    expect(screen.queryByText('开始重算')).toBeNull();
  });
});
