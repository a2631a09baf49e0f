import { createContext, useContext } from 'react';
import type { Tab, TabState } from './tabState';

/** Tells what the page at a route turns out to be. */
export type DescribeTab = (route: string, name: string, keepAlive?: boolean) => void;

export interface TabActions {
  activate: (tab: Tab) => void;
  close: (tab: Tab) => void;
  closeOthers: (tab: Tab) => void;
  closeAll: () => void;
}

export interface TabRow extends TabState {
  /** Stable: never changes between renders. */
  actions: TabActions;
}

export const TabStateContext = createContext<TabRow | null>(null);
/** Apart from the row, which changes with every tab: pages that only tell need not be drawn again. */
export const DescribeContext = createContext<DescribeTab | null>(null);

export function useDescribe(): DescribeTab {
  const describe = useContext(DescribeContext);
  if (describe === null) throw new Error('useDescribe needs a TabsProvider around it');
  return describe;
}

export function useTabRow(): TabRow {
  const row = useContext(TabStateContext);
  if (row === null) throw new Error('useTabRow needs a TabsProvider around it');
  return row;
}
