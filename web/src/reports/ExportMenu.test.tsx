import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { onReportedError } from '@/lib/errors';
import { ExportMenu } from './ExportMenu';
import type { FramePort } from './framePort';
import { readShownFilters } from './reportExport';

const tab = {
  key: 'month',
  label: '按月分析',
  embed_id: 'e',
  address: '/embedded/e?role_id=3' as string | null,
  filters: [
    { key: 'company', id: 'NATIVE_FILTER-c', column: 'company_name', label: '筛选', latest: false, ranged: false },
  ],
  opens_with: {},
};
const choices = {
  dimensions: [
    { name: 'company_name', label: '公司' },
    { name: 'brand_name', label: '品牌' },
  ],
  measures: [{ name: 'sales', label: '销售成本' }],
  rows: ['company_name'],
  columns: ['brand_name'],
  metrics: ['sales'],
};
const mask = { 'NATIVE_FILTER-c': { filterState: { value: ['上海公司'] } } };
let exportBodies: unknown[];
let messages: string[];
let now = Date.now();
onReportedError((notice) => messages.push(notice.msg));

function start(port: Pick<FramePort, 'ask'> | null, address = tab.address) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const talk = port && { ...port, emit: vi.fn(), close: vi.fn() };
  render(
    <QueryClientProvider client={client}>
      <ExportMenu
        code="warehouseTurnover"
        tab={tab.key}
        filters={() => readShownFilters({ ...tab, address }, talk)}
        schemeScreen="report_warehouseTurnover/month"
      />
    </QueryClientProvider>,
  );
}

async function choose(label: string) {
  fireEvent.click(screen.getByRole('button', { name: /导出/ }));
  fireEvent.click(await screen.findByText(label));
}

const answering = () => ({ ask: <T,>() => Promise.resolve(mask as T) });

beforeEach(() => {
  exportBodies = [];
  messages = [];
  // The same message is not told twice within a second.
  now += 60_000;
  vi.spyOn(Date, 'now').mockReturnValue(now);
  vi.stubGlobal(
    'fetch',
    vi.fn((url: string, options?: { body?: string }) => {
      if (options?.body) exportBodies.push(JSON.parse(options.body));
      const data = url.includes('getPivotChoices') ? choices : { export_id: 1, file_name: 'a.xlsx' };
      return Promise.resolve(Response.json({ code: 200, msg: '', data }));
    }),
  );
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe('export menu', () => {
  it.each([
    ['Excel 明细', 'detail'],
    ['PDF', 'pdf'],
  ])('asks for %s under the filters in the frame', async (label, form) => {
    start(answering());
    await choose(label);
    await waitFor(() => expect(exportBodies).toHaveLength(1));
    expect(exportBodies[0]).toEqual({
      code: 'warehouseTurnover',
      tab: 'month',
      form,
      filters: { company: ['上海公司'] },
    });
    await waitFor(() => expect(messages).toEqual(['系统正在处理，请稍后在导出任务中下载']));
  });

  it('opens the pivot with the choice of the report', async () => {
    start(answering());
    await choose('Excel 透视…');
    expect(await screen.findByText('公司')).toBeTruthy();
    const dialog = screen.getByRole('dialog');
    fireEvent.click(dialog.querySelector('.ant-modal-footer .ant-btn-primary') as HTMLElement);
    await waitFor(() => expect(exportBodies).toHaveLength(1));
    expect(exportBodies[0]).toMatchObject({
      form: 'pivot',
      filters: { company: ['上海公司'] },
      rows: ['company_name'],
      columns: ['brand_name'],
      metrics: ['sales'],
    });
  });

  it.each([
    ['does not answer', { ask: () => Promise.reject(new Error('no answer from the frame')) }],
    ['is not there yet', null],
  ])('exports nothing while the frame %s', async (_, port) => {
    start(port);
    await choose('Excel 明细');
    await waitFor(() => expect(messages).toEqual(['报表还没有打开好，读不到所选的筛选条件，请稍后再试']));
    expect(exportBodies).toEqual([]);
  });

  it('exports a report without a frame as it opens', async () => {
    start(null, null);
    await choose('Excel 明细');
    await waitFor(() => expect(exportBodies).toHaveLength(1));
    expect(exportBodies[0]).toMatchObject({ filters: {} });
  });
});
