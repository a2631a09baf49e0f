import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { okAnswer, renderPage } from '@/engine/harness';
import ToDo from './ToDo';

const rejected = {
  id: 'sales_order_2',
  type: 2,
  content: '2 张销售订单被驳回',
  count: 2,
  url: '/sales/salesorder?status=1&rejected=1&maker_id=7',
  since: null,
  bills: [{ bill_no: 'XSDD-1', url: '/sales/salesorder_see?id=31' }],
};

afterEach(() => vi.unstubAllGlobals());

it('To-do dropdown: pending items and pending approvals; an entry opens its list and each of its bills', async () => {
  const waits = { id: 1, title: '3 张销售出库待审核', count: 3, url: '/sales/salesout?status=1', bills: [] };
  const leave = vi.fn();
  const { tabs, done } = renderPage(<ToDo items={[rejected]} onLeave={leave} />, {
    'v2/open/Message/getMessageList': () => okAnswer([waits]),
  });
  fireEvent.click(await screen.findByText('XSDD-1'));
  expect(screen.getByText('待处理事项 2')).toBeTruthy();
  expect(await screen.findByText('待审批 3')).toBeTruthy();
  fireEvent.click(screen.getByText('2 张销售订单被驳回'));
  expect(tabs.open.mock.calls).toEqual([
    ['/sales/salesorder_see?id=31', 'XSDD-1'],
    [rejected.url, '销售订单被驳回'],
  ]);
  expect(leave).toHaveBeenCalledTimes(2);
  done();
});

it('opens on the approvals where nothing else waits, until the user turns to another page', async () => {
  const waits = { id: 1, title: '3 张销售出库待审核', count: 3, url: '/sales/salesout?status=1', bills: [] };
  const { done } = renderPage(<ToDo items={[]} onLeave={() => undefined} />, {
    'v2/open/Message/getMessageList': () => okAnswer([waits]),
  });
  expect(await screen.findByText('3 张销售出库待审核')).toBeTruthy();
  fireEvent.click(screen.getByText('待处理事项 0'));
  expect(screen.getByText('待处理事项 0').closest('[role=tab]')?.getAttribute('aria-selected')).toBe('true');
  done();
});
