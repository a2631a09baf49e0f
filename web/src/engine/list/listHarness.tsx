/** A list of three bills, the last one audited, as the tests of lists open it. */
import { fireEvent, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { buildBillScreen } from '../fixtures';
import { okAnswer, pageAnswer, pressButton, renderPage, type FakeRoutes } from '../harness';
import ListPage from './ListPage';

export const description = buildBillScreen();
export const { api } = description;
export const rows = [1, 2, 3].map((id) => ({
  bill_id: id,
  bill_no: `XSCK${id}`,
  business_date: '2026-11-01',
  status: id === 3 ? 2 : 1,
  customer_name: '上海顺达',
  total_amount: id === 2 ? '无权限' : '1234.50',
}));
export const BASE_ROUTES: FakeRoutes = {
  [`${api}/getList`]: () => pageAnswer(rows),
  [`${api}/getTotals`]: () => okAnswer({ total: rows.length, totals: { total_amount: '9876.50' } }),
};

export let view: ReturnType<typeof renderPage>;
/** Render a page into `view`. */
export const renderView = (page: ReactElement, routes: FakeRoutes = BASE_ROUTES) => {
  view = renderPage(page, routes);
  return view;
};
export const openList = (routes: FakeRoutes = {}, params = {}) => {
  renderView(<ListPage screen={description} params={params} />, { ...BASE_ROUTES, ...routes });
  return screen.findByText('XSCK1');
};
export const listCalls = () => view.calls.filter((call) => call.path === `${api}/getList`);
export const actionCalls = (action: string) => view.calls.filter((call) => call.path === `${api}/${action}`);
export const pressAudit = () => pressButton('审核').then(() => pressButton('确定'));
export const tickRow = (no: string) => {
  const row = screen.getByText(no).closest('.ant-table-row') as HTMLElement;
  fireEvent.click(row.querySelector('input[type=checkbox]')!);
};
