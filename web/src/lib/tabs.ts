/** Interface of the shell's page tabs; the shell provides the implementation. */
import { createContext, useContext } from 'react';

export interface TabOptions {
  /** Stays mounted (hidden) when another tab is shown. */
  keepAlive?: boolean;
}

export interface TabsApi {
  /** Opens (or activates) the route `/a/b?query` in a tab called `name`. */
  open(route: string, name: string, options?: TabOptions): void;
  /** Closes the tab showing `route`. */
  close(route: string): void;
  /** Shows `route` in the place of the present page. */
  replace(route: string): void;
  /** Names the tab showing `route` once its page knows better. */
  setTitle(route: string, name: string, options?: TabOptions): void;
}

export const TabsContext = createContext<TabsApi | null>(null);
export const PageActiveContext = createContext(true);
/** The address a page stands at, whatever the browser shows by now. */
export const PageRouteContext = createContext('');

export function useTabs(): TabsApi {
  const tabs = useContext(TabsContext);
  if (tabs === null) throw new Error('useTabs needs the shell around it');
  return tabs;
}

/** Return whether the page's tab is the active one. */
export function usePageActive(): boolean {
  return useContext(PageActiveContext);
}

export function usePageRoute(): string {
  return useContext(PageRouteContext);
}
