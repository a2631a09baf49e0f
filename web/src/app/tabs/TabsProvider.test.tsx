import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { MemoryRouter, useLocation } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api, setSession } from '@/lib/api';
import { useTabs, type TabsApi } from '@/lib/tabs';
import { useTabRow } from './context';
import { TabBar } from './TabBar';
import { TabsProvider } from './TabsProvider';
import { HOME_ONLY_STATE } from './tabState';

const names: Record<string, string> = { '/sales/salesout': '销售出库', '/purchase/order': '采购订单' };
const nameOf = (route: string) => names[route];
const initial = () => HOME_ONLY_STATE;

let tabs: TabsApi;
const unmounted = vi.fn<(route: string) => void>();

function Probe() {
  const shell = useTabs();
  const { pathname, search } = useLocation();
  useEffect(() => {
    tabs = shell;
  }, [shell]);
  return <output>{pathname + search}</output>;
}

function Pages() {
  const { tabs: open, activeKey } = useTabRow();
  return open.map((tab) => (tab.keepAlive || tab.key === activeKey) && <Page key={tab.route} route={tab.route} />);
}

function Page({ route }: { route: string }) {
  useEffect(() => () => unmounted(route), [route]);
  return null;
}

function start(at = '/home') {
  render(
    <MemoryRouter initialEntries={[at]}>
      <TabsProvider initial={initial} nameOf={nameOf}>
        <TabBar />
        <Pages />
        <Probe />
      </TabsProvider>
    </MemoryRouter>,
  );
}

const address = () => screen.getByRole('status').textContent;
const tabTitles = () => screen.getAllByRole('tab').map((tab) => tab.textContent);
const tab = (name: string) => screen.getByRole('tab', { name: new RegExp(name) });
const go = (route: string, name: string) => act(() => tabs.open(route, name));
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  cleanup();
  vi.clearAllMocks();
  vi.useRealTimers();
});

describe('page tabs in the shell', () => {
  it('open by address with the menu’s name', () => {
    start('/sales/salesout');
    expect(tabTitles()).toEqual(['主页', '销售出库']);
    expect(tab('销售出库').getAttribute('aria-selected')).toBe('true');
    expect(document.title).toContain('销售出库');
  });

  it('close 100 ms after the click and move to the last remaining tab', async () => {
    start();
    go('/sales/salesout', '销售出库');
    go('/purchase/order', '采购订单');
    fireEvent.click(screen.getByLabelText('关闭采购订单'));
    await wait(90);
    expect(tabTitles()).toHaveLength(3);
    await wait(20);
    expect(tabTitles()).toEqual(['主页', '销售出库']);
    expect(address()).toBe('/sales/salesout');
  });

  it('close by middle click, home excepted, and fall back to home', async () => {
    start('/sales/salesout');
    fireEvent(tab('主页'), new MouseEvent('auxclick', { bubbles: true, button: 1 }));
    fireEvent(tab('销售出库'), new MouseEvent('auxclick', { bubbles: true, button: 1 }));
    await wait(200);
    expect(tabTitles()).toEqual(['主页']);
    expect(address()).toBe('/home');
  });

  it('offer close this, others and all on a right click', async () => {
    start();
    go('/sales/salesout', '销售出库');
    go('/purchase/order', '采购订单');
    fireEvent.contextMenu(tab('销售出库'));
    await wait(300);
    fireEvent.click(screen.getByText('关闭其他'));
    await wait(200);
    expect(tabTitles()).toEqual(['主页', '销售出库']);
    expect(address()).toBe('/sales/salesout');
  });

  it('keep cached pages mounted and drop form pages when left', () => {
    start('/sales/salesout');
    go('/sales/salesoutAdd', '新增销售出库');
    expect(unmounted).not.toHaveBeenCalled();
    go('/purchase/order', '采购订单');
    expect(unmounted.mock.calls).toEqual([['/sales/salesoutAdd']]);
  });

  it('walk by arrow keys', () => {
    start('/sales/salesout');
    fireEvent.keyDown(tab('销售出库'), { key: 'ArrowLeft' });
    expect(address()).toBe('/home');
  });

  it('give up the requests in flight on a route change', async () => {
    setSession(null);
    vi.stubGlobal(
      'fetch',
      vi.fn(
        (_url: string, init: RequestInit) =>
          new Promise<Response>((_resolve, reject) => {
            init.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
          }),
      ),
    );
    start();
    const asked = api.get('v2/sales/SalesOutstock/getList');
    const outcome = expect(asked).rejects.toMatchObject({ code: 404, msg: '路由跳转取消请求' });
    go('/sales/salesout', '销售出库');
    await outcome;
  });
});
