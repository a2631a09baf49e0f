/** 页签: the rules of the row of page tabs, as plain values. */

export interface Tab {
  /** Tabs are told apart by the second path segment; `/a/b?x=1` and `/a/b?x=2` share one. */
  key: string;
  route: string;
  name: string;
  keepAlive: boolean;
  /** Base tabs can't be closed. */
  base: boolean;
}

export interface TabState {
  tabs: Tab[];
  activeKey: string;
}

export interface TabVisit {
  route: string;
  name?: string;
  keepAlive?: boolean;
}

export type TabAction =
  | { type: 'visit'; visit: TabVisit }
  | { type: 'rename'; route: string; name: string; keepAlive?: boolean }
  | { type: 'describe'; route: string; name: string; keepAlive?: boolean }
  | { type: 'close'; key: string }
  | { type: 'closeOthers'; key: string }
  | { type: 'closeAll' }
  | { type: 'reset'; state: TabState };

export const HOME_ROUTE = '/home';
export const UNNAMED_TITLE = '加载中';

const homeTab: Tab = { key: 'home', route: HOME_ROUTE, name: '主页', keepAlive: true, base: true };

/** Form pages start afresh at each visit (their drafts are kept elsewhere). */
const formSegment = /^new|(add|edit|amend|modify|modification)$/i;

export function tabKey(route: string): string {
  const [path = ''] = route.split('?');
  const [first = '', second] = path.split('/').filter(Boolean);
  return second ?? first;
}

export function isKeptAliveByDefault(route: string): boolean {
  const [path = ''] = route.split('?');
  return !formSegment.test(path.split('/').filter(Boolean).at(-1) ?? '');
}

export interface SystemVersion {
  /** 0 ERP back office, 1 service station. */
  type: number;
  /** 1 standard, 2 simple. */
  operatingVersion: number;
}

/** The simple version has no side menu, so the station's daily screens stay at hand as base tabs. */
const simpleVersionTabs: readonly Omit<Tab, 'key' | 'base'>[] = [
  { route: '/sales/sales_open_order', name: '销售开单', keepAlive: true },
  { route: '/sales/service_station_sales_outstock_list', name: '销售出库单', keepAlive: true },
];

export function buildBaseTabs(system: SystemVersion, firstVisitAt: string, allowed: (route: string) => boolean): Tab[] {
  if (system.operatingVersion !== 2) return [homeTab];
  if (system.type === 1 && firstVisitAt === HOME_ROUTE) return [homeTab];
  const daily = simpleVersionTabs.filter((tab) => allowed(tab.route));
  return [homeTab, ...daily.map((tab) => ({ ...tab, key: tabKey(tab.route), base: true }))];
}

export const HOME_ONLY_STATE: TabState = { tabs: [homeTab], activeKey: homeTab.key };

function visitTab(state: TabState, { route, name, keepAlive }: TabVisit): TabState {
  const key = tabKey(route);
  const known = state.tabs.find((tab) => tab.key === key);
  if (known === undefined) {
    const tab = {
      key,
      route,
      name: name ?? UNNAMED_TITLE,
      keepAlive: keepAlive ?? isKeptAliveByDefault(route),
      base: false,
    };
    return { tabs: [...state.tabs, tab], activeKey: key };
  }
  const merged = { ...known, route, name: name ?? known.name, keepAlive: keepAlive ?? known.keepAlive };
  const same = merged.route === known.route && merged.name === known.name && merged.keepAlive === known.keepAlive;
  if (same && state.activeKey === key) return state;
  return { tabs: same ? state.tabs : state.tabs.map((tab) => (tab === known ? merged : tab)), activeKey: key };
}

function keepTabs(state: TabState, stays: (tab: Tab) => boolean, preferred?: string): TabState {
  const tabs = state.tabs.filter((tab) => tab.base || stays(tab));
  if (tabs.length === state.tabs.length && preferred === undefined) return state;
  const wanted = preferred ?? state.activeKey;
  const activeKey = tabs.some((tab) => tab.key === wanted) ? wanted : (tabs.at(-1)?.key ?? homeTab.key);
  return { tabs, activeKey };
}

function renameTab(state: TabState, route: string, name: string, keepAlive?: boolean): TabState {
  const known = state.tabs.find((tab) => tab.key === tabKey(route));
  if (known === undefined || known.key === homeTab.key) return state;
  const next = { ...known, name, keepAlive: keepAlive ?? known.keepAlive };
  if (next.name === known.name && next.keepAlive === known.keepAlive) return state;
  return { ...state, tabs: state.tabs.map((tab) => (tab === known ? next : tab)) };
}

/** Set a tab's name and keep-alive from its page; a name given by the menu or the opener stays. */
function describeTab(state: TabState, route: string, name: string, keepAlive?: boolean): TabState {
  const known = state.tabs.find((tab) => tab.key === tabKey(route));
  if (known === undefined) return state;
  return renameTab(state, route, known.name === UNNAMED_TITLE ? name : known.name, keepAlive);
}

export function tabReducer(state: TabState, action: TabAction): TabState {
  switch (action.type) {
    case 'visit':
      return visitTab(state, action.visit);
    case 'rename':
      return renameTab(state, action.route, action.name, action.keepAlive);
    case 'describe':
      return describeTab(state, action.route, action.name, action.keepAlive);
    case 'close':
      return keepTabs(state, (tab) => tab.key !== action.key);
    case 'closeOthers':
      return keepTabs(state, (tab) => tab.key === action.key, action.key);
    case 'closeAll':
      return keepTabs(state, () => false);
    case 'reset':
      return action.state;
  }
}
