/** The open tabs survive a reload and an expired session; a logout forgets them. */
import type { TabState } from './tabState';

const TABS_KEY = 'openTabs';

interface StoredTabs {
  userId: number;
  state: TabState;
}

let ownerId = 0;

export function storeTabs(state: TabState): void {
  sessionStorage.setItem(TABS_KEY, JSON.stringify({ userId: ownerId, state } satisfies StoredTabs));
}

export function restoreTabs(userId: number): TabState | null {
  ownerId = userId;
  const text = sessionStorage.getItem(TABS_KEY);
  if (text === null) return null;
  const stored = JSON.parse(text) as StoredTabs;
  return stored.userId === userId ? stored.state : null;
}

export function clearTabs(): void {
  sessionStorage.removeItem(TABS_KEY);
}
