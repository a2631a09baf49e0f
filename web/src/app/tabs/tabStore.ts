/** The open tabs survive a reload of the browser tab, and go with the login. */
import type { TabState } from './tabState';

const KEY = 'openTabs';

interface Stored {
  userId: number;
  state: TabState;
}

let owner = 0;

export function storeTabs(state: TabState): void {
  sessionStorage.setItem(KEY, JSON.stringify({ userId: owner, state } satisfies Stored));
}

export function restoreTabs(userId: number): TabState | null {
  owner = userId;
  const text = sessionStorage.getItem(KEY);
  if (text === null) return null;
  const stored = JSON.parse(text) as Stored;
  return stored.userId === userId ? stored.state : null;
}
