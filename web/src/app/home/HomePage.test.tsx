import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubElementSizes, okAnswer, renderPage } from '@/engine/harness';
import type { MenuNode } from '../menu/menuTree';
import HomePage from './HomePage';

const leaf = (menu_id: number, name: string, route: string): MenuNode => ({
  menu_id,
  name,
  route,
  code: name,
  sort: menu_id,
  icon: '',
  action: [],
  tabRoute: '',
  sub: [],
});
const sales = leaf(1, '销售出库', '/sales/salesout');
const business = leaf(2, '经营数据', '/system/businessData');
const notices = ['数据校验未通过（库存分层合计等于结存），显示的是 2026-11-22 10:00:00 的数据'];

let view: ReturnType<typeof renderPage>;

function open(...menu: MenuNode[]) {
  view = renderPage(<HomePage />, {
    'v2/Open/RoleAuth/getLeftMenuList': () => okAnswer(menu),
    'v2/report/Frame/getRefreshedAt': () => okAnswer({ refreshed_at: '2026-11-22 10:00:00', notices }),
  });
  // The login is read anew, as after one in another browser tab.
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'token' })));
}

const consoleCalls = () =>
  view.calls.filter(({ path }) => path.startsWith('v2/system/Console/')).map(({ path }) => path.split('/').at(-1));

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('the home page', () => {
  it('asks all of the console where its page is in the menu', async () => {
    open(sales, business);
    const named = [
      'getAwaitList',
      'getTodaySalesCaseList',
      'getMonthCctivityList',
      'getRankingList',
      'getMonthlyProvinces',
      'getSalesmanCharts',
    ];
    await waitFor(() => expect(new Set(consoleCalls())).toEqual(new Set(named)), { timeout: 15_000 });
  });

  it('asks but what waits for who has no right to it', async () => {
    open(sales);
    expect(await screen.findByText('常用入口')).toBeTruthy();
    expect(screen.queryByRole('region', { name: '经营数据' })).toBeNull();
    expect(consoleCalls()).toEqual(['getAwaitList']);
  });

  it('says when figures were published, and what to know of them', async () => {
    open(sales);
    expect((await screen.findByRole('alert')).textContent).toBe(notices[0]);
    expect(screen.getByText('报表数据更新于 2026-11-22 10:00:00')).toBeTruthy();
  });
});
