import { describe, expect, it } from 'vitest';
import { buildBaseTabs, HOME_ONLY_STATE, isKeptAliveByDefault, tabKey, tabReducer, type TabState } from './tabState';

const visit = (state: TabState, route: string, name?: string): TabState =>
  tabReducer(state, { type: 'visit', visit: { route, name } });
const opened = (...routes: string[]): TabState =>
  routes.reduce((state, route) => visit(state, route, route), HOME_ONLY_STATE);
const routes = (state: TabState) => state.tabs.map((tab) => tab.route);

describe('opening', () => {
  it('adds a tab with route and name and activates it', () => {
    const state = visit(HOME_ONLY_STATE, '/sales/salesout', '销售出库');
    expect(state.tabs.at(-1)).toMatchObject({
      route: '/sales/salesout',
      name: '销售出库',
      keepAlive: true,
      base: false,
    });
    expect(state.activeKey).toBe('salesout');
  });

  it('merges routes with the same second segment and updates the route to the newest', () => {
    const state = opened(
      '/sales/salesout',
      '/sales/salesout?status=1',
      '/purchase/order',
      '/sales/salesout/detail?id=3',
    );
    expect(routes(state)).toEqual(['/home', '/sales/salesout/detail?id=3', '/purchase/order']);
    expect(state.activeKey).toBe('salesout');
  });

  it('keeps the known name when a merge brings none', () => {
    const state = visit(visit(HOME_ONLY_STATE, '/sales/salesout', '销售出库'), '/sales/salesout?id=1');
    expect(state.tabs[1]?.name).toBe('销售出库');
  });

  it('answers the same state for a repeated visit', () => {
    const state = opened('/sales/salesout');
    expect(visit(state, '/sales/salesout')).toBe(state);
  });

  it('uses the only segment of one-segment routes', () => {
    expect(tabKey('/selfinfo')).toBe('selfinfo');
    expect(tabKey('/home?x=1')).toBe('home');
  });

  it('keeps lists alive, add and edit pages not', () => {
    expect(['/sales/salesout', '/custom/customaddress', '/report/BestSeller?x=add'].map(isKeptAliveByDefault)).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      ['/sales/salesoutAdd', '/sales/salesoutModify?id=1', '/system/goodsbaseAmend', '/system/newsupplier'].map(
        isKeptAliveByDefault,
      ),
    ).toEqual([false, false, false, false]);
  });

  it('lets a page name its tab and flag it', () => {
    const state = tabReducer(opened('/sales/salesoutAdd'), {
      type: 'rename',
      route: '/sales/salesoutAdd',
      name: '新增销售出库',
      keepAlive: true,
    });
    expect(state.tabs[1]).toMatchObject({ name: '新增销售出库', keepAlive: true });
  });
});

describe('describing', () => {
  const describeTab = (state: TabState) =>
    tabReducer(state, { type: 'describe', route: '/sales/salesoutSee?id=1', name: '销售出库详情', keepAlive: false });

  it('names a tab that nobody named and takes its flag from the screen', () => {
    const [, tab] = describeTab(visit(HOME_ONLY_STATE, '/sales/salesoutSee?id=1')).tabs;
    expect(tab).toMatchObject({ name: '销售出库详情', keepAlive: false });
  });

  it('leaves the name given by its opener', () => {
    const [, tab] = describeTab(visit(HOME_ONLY_STATE, '/sales/salesoutSee?id=1', 'XSCK20261120001')).tabs;
    expect(tab).toMatchObject({ name: 'XSCK20261120001', keepAlive: false });
  });
});

describe('closing', () => {
  it('activates the last remaining tab when the active one closes', () => {
    const state = tabReducer(visit(opened('/a/one', '/a/two', '/a/three'), '/a/one'), { type: 'close', key: 'one' });
    expect(state.activeKey).toBe('three');
  });

  it('activates home when none remain', () => {
    const state = tabReducer(opened('/a/one'), { type: 'close', key: 'one' });
    expect(state).toEqual(HOME_ONLY_STATE);
  });

  it('leaves the active tab alone when another closes', () => {
    const state = tabReducer(opened('/a/one', '/a/two'), { type: 'close', key: 'one' });
    expect(state.activeKey).toBe('two');
  });

  it('never closes base tabs', () => {
    expect(tabReducer(HOME_ONLY_STATE, { type: 'close', key: 'home' })).toBe(HOME_ONLY_STATE);
  });

  it('closes the others and activates the one kept', () => {
    const state = tabReducer(opened('/a/one', '/a/two', '/a/three'), { type: 'closeOthers', key: 'two' });
    expect(routes(state)).toEqual(['/home', '/a/two']);
    expect(state.activeKey).toBe('two');
  });

  it('closes all but the base tabs', () => {
    expect(tabReducer(opened('/a/one', '/a/two'), { type: 'closeAll' })).toEqual(HOME_ONLY_STATE);
  });
});

describe('base tabs', () => {
  const all = () => true;

  it('are home alone in the standard version', () => {
    expect(buildBaseTabs({ type: 0, operatingVersion: 1 }, '/sales/salesout', all).map((tab) => tab.name)).toEqual([
      '主页',
    ]);
  });

  it('are home alone for a simple service station first visited at home', () => {
    expect(buildBaseTabs({ type: 1, operatingVersion: 2 }, '/home', all)).toHaveLength(1);
  });

  it('carry the daily screens in the simple version otherwise, as far as the menu allows them', () => {
    expect(buildBaseTabs({ type: 1, operatingVersion: 2 }, '/sales/x', all).map((tab) => tab.key)).toEqual([
      'home',
      'sales_open_order',
      'service_station_sales_outstock_list',
    ]);
    expect(buildBaseTabs({ type: 0, operatingVersion: 2 }, '/home', () => false)).toHaveLength(1);
  });
});
