import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage } from '@/engine/harness';
import type { Field, Screen } from '@/engine/types';
import ListReportPage from './ListReportPage';
// Brought in before a test waits for it.
import './PivotDialog';

const described = buildBillScreen();
const days = { business_date_start: '2026-11-01', business_date_end: '2026-11-26' };
const grouping: Field = {
  ...described.fields[0]!,
  name: 'grouping',
  label: '汇总方式',
  type: 'enum',
  list: false,
  search: true,
  options: [{ value: 4, label: '客户' }],
};
const report: Screen = {
  ...described,
  report: 'salesmulrpt',
  filed: true,
  usual: { ...days, grouping: '4' },
  groups: { by: 'grouping', columns: {} },
  fields: [...described.fields, grouping],
};
const choices = {
  dimensions: [{ name: 'customer_name', label: '往来客户' }],
  measures: [{ name: 'revenue', label: '收入' }],
  rows: ['customer_name'],
  columns: [],
  metrics: ['revenue'],
};
let view: ReturnType<typeof renderPage>;

function open(of = report, params: Record<string, string> = {}) {
  view = renderPage(<ListReportPage screen={of} params={params} />, {
    [`${report.api}/getList`]: () => pageAnswer([]),
    [`${report.api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
    'v2/report/Frame/export': () => okAnswer({ export_id: 1, file_name: 'a.pdf' }),
    'v2/report/Frame/getPivotChoices': () => okAnswer(choices),
  });
}
const sentCalls = (path: string) => view.calls.filter((call) => call.path === `v2/report/Frame/${path}`);

async function choose(label: string) {
  fireEvent.click(await screen.findByRole('button', { name: /导出/ }));
  fireEvent.click(await screen.findByText(label));
}

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('a report that is a list', () => {
  it.each([
    ['Excel 明细', 'detail'],
    ['PDF', 'pdf'],
  ])('is exported as %s under what it is asked', async (label, form) => {
    open();
    await choose(label);
    await waitFor(() => expect(sentCalls('export')).toHaveLength(1));
    expect(sentCalls('export')[0]?.body).toEqual({
      code: 'salesmulrpt',
      tab: 'all',
      form,
      filters: {
        business_date_start: ['2026-11-01'],
        business_date_end: ['2026-11-26'],
        grouping: ['4'],
        order_key: ['bill_id'],
        order_by: ['desc'],
      },
    });
  });

  it('says which of the filters that it opens with is not asked', async () => {
    // A link with filters of its own leaves the usual days out.
    open(report, { grouping: '4' });
    await choose('PDF');
    await waitFor(() => expect(sentCalls('export')).toHaveLength(1));
    expect(sentCalls('export')[0]?.body.filters).toMatchObject({
      business_date_start: [''],
      business_date_end: [''],
      grouping: ['4'],
    });
  });

  it('offers a pivot of what it is summed up by', async () => {
    open();
    await choose('Excel 透视…');
    expect(await screen.findByText('往来客户')).toBeTruthy();
    expect(sentCalls('getPivotChoices')[0]?.query).toMatchObject({ code: 'salesmulrpt', tab: 'all', grouping: '4' });
    fireEvent.click(screen.getByRole('dialog').querySelector('.ant-modal-footer .ant-btn-primary') as HTMLElement);
    await waitFor(() =>
      expect(sentCalls('export')[0]?.body).toMatchObject({
        form: 'pivot',
        rows: ['customer_name'],
        metrics: ['revenue'],
      }),
    );
  });

  it('is only looked at without the right to export', async () => {
    open({ ...report, actions: report.actions.filter(({ name }) => name !== 'export') });
    await waitFor(() => expect(view.calls.length).toBeGreaterThan(0));
    expect(screen.queryByRole('button', { name: /导出/ })).toBeNull();
  });
});
