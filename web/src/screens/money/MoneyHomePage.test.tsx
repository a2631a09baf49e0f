import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage } from '@/engine/harness';
import MoneyHomePage from './MoneyHomePage';

const api = 'v2/money/MoneyHome';
const due = { owed: '1200.00', unapplied: '30.00', overdue: '450.50', soon: '99.00', routes: {} };
const overdue = '/custom/creditfind_search?use=1&due_date_end=2026-11-21';
const received = '/MoneyManagement/accountJournal?flow=1&business_date_start=2026-11-22&business_date_end=2026-11-22';
const summary = {
  balance: '88000.10',
  days: [
    { day: '2026-11-21', received: '0.00', paid: '0.00', balance: '80000.00' },
    { day: '2026-11-22', received: '8500.10', paid: '500.00', balance: '88000.10' },
  ],
  month_received: '20000.00',
  month_paid: '7000.00',
  receivable: { ...due, routes: { overdue } },
  payable: { ...due, owed: '640.00' },
  routes: { received },
};

let view: ReturnType<typeof renderPage>;
beforeEach(stubElementSizes);
afterEach(() => view.done());

const show = () => {
  view = renderPage(<MoneyHomePage screen={{ ...buildBillScreen(), name: 'money_home', api, actions: [] }} />, {
    [`${api}/getSummary`]: () => okAnswer(summary),
    [`${api}/getList`]: () => pageAnswer([]),
    [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
  });
};

describe('the funds home', () => {
  it('leads from what is due to the list that it is the total of', async () => {
    show();
    const [customers, suppliers] = await screen.findAllByText('450.50');
    fireEvent.click(customers!);
    expect(view.tabs.open).toHaveBeenCalledWith(overdue, '已逾期');
    expect(suppliers!.closest('a')).toBeNull();
  });
  it('leads from what was received to its entries', async () => {
    show();
    fireEvent.click(await screen.findByText('8,500.10'));
    expect(view.tabs.open).toHaveBeenCalledWith(received, '今日收款');
    expect(screen.getByText('500.00').closest('a')).toBeNull();
  });
  it('tells balances, the day, the month, what is due, and has a chart', async () => {
    show();
    for (const shown of ['88,000.10', '8,500.10', '500.00', '20,000.00', '7,000.00', '1,200.00', '640.00']) {
      expect(await screen.findByText(shown)).toBeTruthy();
    }
    expect(screen.getAllByText('450.50')).toHaveLength(2);
    await waitFor(() => expect(document.querySelector('.echarts-for-react')).toBeTruthy(), { timeout: 5000 });
  });
});
