import { createContext, useContext } from 'react';
import type { Tab, TabState } from './tabState';

export interface TabRow extends TabState {
  activate: (tab: Tab) => void;
  close: (tab: Tab) => void;
  closeOthers: (tab: Tab) => void;
  closeAll: () => void;
  /** Tells what the page at a route turns out to be. */
  describe: (route: string, name: string, keepAlive?: boolean) => void;
}

export const TabStateContext = createContext<TabRow | null>(null);

export function useTabRow(): TabRow {
  const row = useContext(TabStateContext);
  if (row === null) throw new Error('useTabRow needs a TabsProvider around it');
  return row;
}
