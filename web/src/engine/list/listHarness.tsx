/** A list of three bills, the last one audited, as the tests of lists open it. */
import { fireEvent, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { billScreen } from '../fixtures';
import { ok, page, press, renderPage, type Routes } from '../harness';
import ListPage from './ListPage';

export const description = billScreen();
export const { api } = description;
export const rows = [1, 2, 3].map((id) => ({
  bill_id: id,
  bill_no: `XSCK${id}`,
  business_date: '2026-11-01',
  status: id === 3 ? 2 : 1,
  customer_name: '上海顺达',
  total_amount: id === 2 ? '无权限' : '1234.50',
}));
export const base: Routes = {
  [`${api}/getList`]: () => page(rows),
  [`${api}/getTotals`]: () => ok({ total: rows.length, totals: { total_amount: '9876.50' } }),
};

export let view: ReturnType<typeof renderPage>;
/** What `view` shows from then on. */
export const draw = (page: ReactElement, routes: Routes = base) => {
  view = renderPage(page, routes);
  return view;
};
export const open = (routes: Routes = {}, params = {}) => {
  draw(<ListPage screen={description} params={params} />, { ...base, ...routes });
  return screen.findByText('XSCK1');
};
export const lists = () => view.calls.filter((call) => call.path === `${api}/getList`);
export const sent = (action: string) => view.calls.filter((call) => call.path === `${api}/${action}`);
export const audit = () => press('审核').then(() => press('确定'));
export const tick = (no: string) => {
  const row = screen.getByText(no).closest('.ant-table-row') as HTMLElement;
  fireEvent.click(row.querySelector('input[type=checkbox]')!);
};
