import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage } from '@/engine/harness';
import DataDictionaryPage from './DataDictionaryPage';

const api = 'v2/report/DataDictionary';
let view: ReturnType<typeof renderPage>;

beforeEach(() => {
  stubElementSizes();
  view = renderPage(
    <DataDictionaryPage screen={{ ...buildBillScreen(), name: 'data_dictionary', api, actions: [] }} />,
    {
      [`${api}/getList`]: () => pageAnswer([]),
      [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
      [`${api}/getLineage`]: () => ({ code: 400, msg: '数据字典还没有生成', data: null }),
    },
  );
});
afterEach(() => view.done());

const countLineageCalls = () => view.calls.filter((call) => call.path === `${api}/getLineage`).length;

it('asks for the lineage when it is wanted, and says why there is none', async () => {
  await screen.findByText('血缘与 SQL');
  expect(countLineageCalls()).toBe(0);
  fireEvent.click(screen.getByText('血缘与 SQL'));
  expect(await screen.findByText('数据字典还没有生成')).toBeTruthy();
  expect(countLineageCalls()).toBe(1);
});

it('runs it without an origin', async () => {
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response('<p>dbt</p>', { headers: { 'Content-Type': 'text/html' } })),
  );
  fireEvent.click(await screen.findByText('血缘与 SQL'));
  const frame = await waitFor(() => {
    const found = document.querySelector('iframe');
    if (!found) throw new Error('no frame');
    return found;
  });
  const written = vi.spyOn(frame.contentWindow as Window, 'postMessage').mockImplementation(() => undefined);
  window.dispatchEvent(new MessageEvent('message', { source: frame.contentWindow, data: 'lone:ready' }));
  expect(written).toHaveBeenCalledWith('<p>dbt</p>', '*');
  expect(frame.getAttribute('sandbox')).toBe('allow-scripts');
});
