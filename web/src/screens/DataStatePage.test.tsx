import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage } from '@/engine/harness';
import type { WorkerState } from '@/gen';
import DataStatePage from './DataStatePage';

const api = 'v2/report/DataState';
const well: WorkerState = {
  state: 'idle',
  refreshed_at: '2026-11-22 10:00:00',
  snapshot: 41,
  last_ok: '2026-11-22 10:00:01',
  checked_at: '2026-11-22 10:00:03',
  lag: 1.84,
  waiting: 0,
  failures: 0,
  failing_since: null,
  error: null,
  proved_at: '2026-11-22 09:55:00',
  tests: 60,
  failed_tests: [],
  p50: 1.25,
  p95: 2.71,
  lag_p95: 3.3,
  kept: 2,
  kept_since: '2026-11-22 08:00:00',
  kept_rows: 43210,
  kept_failures: 0,
  points: [
    { ended_at: '2026-11-22 09:59:00', seconds: 1.2, lag: 1.9, rows: 3, failed: false },
    { ended_at: '2026-11-22 10:00:01', seconds: 1.3, lag: 1.8, rows: 43207, failed: false },
  ],
};
let now: WorkerState;
let view: ReturnType<typeof renderPage>;

const open = () => {
  view = renderPage(<DataStatePage screen={{ ...buildBillScreen(), name: 'data_state', api, actions: [] }} />, {
    [`${api}/getState`]: () => okAnswer(now),
    [`${api}/getList`]: () => pageAnswer([]),
    [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
  });
};
const countCalls = (path: string) => view.calls.filter((call) => call.path === `${api}/${path}`).length;

beforeEach(() => {
  stubElementSizes();
  now = well;
});
afterEach(() => {
  view.done();
  vi.useRealTimers();
});

describe('the state of the reports’ data', () => {
  it('tells state, success, lag, cycle time, rows and tests, with a chart', async () => {
    open();
    for (const shown of [
      '正常，等待新数据',
      '2026-11-22 10:00:01',
      '快照 41',
      '1.8 秒',
      '95% 不超过 3.3 秒',
      '1.3 秒',
      '95% 不超过 2.7 秒',
      '43,210',
      '60 项',
    ]) {
      expect(await screen.findByText(shown), shown).toBeTruthy();
    }
    expect(screen.queryByRole('alert')).toBeNull();
    await waitFor(() => expect(document.querySelector('.echarts-for-react')).toBeTruthy(), { timeout: 5000 });
  });

  it('tells a failure with its text, what failed, and what readers see meanwhile', async () => {
    now = {
      ...well,
      state: 'failed',
      waiting: 62.4,
      failures: 3,
      failing_since: '2026-11-22 10:01:00',
      error: '数据校验未通过：详情',
      failed_tests: [{ name: 'stock_layers_sum_to_balance', label: '库存分层合计等于结存', rows: 4 }],
    };
    open();
    expect(await screen.findByText('数据校验未通过，读者看到的是 2026-11-22 10:00:00 的数据')).toBeTruthy();
    expect(screen.getByText('库存分层合计等于结存（stock_layers_sum_to_balance）：4 行不符')).toBeTruthy();
    expect(screen.getByText('从 2026-11-22 10:01:00 起失败 3 次')).toBeTruthy();
    expect(screen.getByText('数据校验未通过：详情')).toBeTruthy();
    expect(screen.getByText('刷新失败，正在重试')).toBeTruthy();
    expect(screen.getByText('62.4 秒')).toBeTruthy();
  });

  it('asks again by itself, and for the list when a cycle has ended', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    open();
    await screen.findByText('正常，等待新数据');
    await waitFor(() => expect(countCalls('getList')).toBeGreaterThan(0));
    const before = countCalls('getList');
    await act(() => vi.advanceTimersByTimeAsync(5_500));
    expect(countCalls('getState')).toBe(2);
    expect(countCalls('getList')).toBe(before);
    now = {
      ...well,
      state: 'running',
      points: [...well.points, { ended_at: '2026-11-22 10:00:09', seconds: 2, lag: null, rows: 1, failed: true }],
    };
    await act(() => vi.advanceTimersByTimeAsync(5_500));
    expect(await screen.findByText('正在刷新')).toBeTruthy();
    await waitFor(() => expect(countCalls('getList')).toBe(before + 1));
  });
});
