/** The open tabs survive a reload and an expired session; a logout forgets them. */
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

export function forgetTabs(): void {
  sessionStorage.removeItem(KEY);
}
