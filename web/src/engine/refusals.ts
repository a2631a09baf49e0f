/** What was refused stays told, with what can be done about it, until it is done or closed: kept by screen and record. */
import { createStore, useStore } from '../lib/store';

/** What can be done about a cause; `route` leads to a page, without it the words are all. */
export interface WayOn {
  label: string;
  route: string;
}

export interface Reason {
  msg: string;
  ways: WayOn[];
}

export interface Refused {
  id: number;
  /** The bill's number. */
  serial: string;
  /** The action that was refused, as users call it. */
  action: string;
  reasons: Reason[];
}

type ById = Readonly<Record<number, Refused>>;

const store = createStore<Readonly<Record<string, ById>>>({});
const NONE: ById = {};

/** Keeps what was refused in the place of what was refused of the same records before. */
export function keepRefused(screen: string, refused: Refused[]): void {
  if (refused.length === 0) return;
  const rows = Object.fromEntries(refused.map((one) => [one.id, one]));
  store.set((all) => ({ ...all, [screen]: { ...all[screen], ...rows } }));
}

/** Forgets what was done since, or closed. */
export function dropRefused(screen: string, ids: number[]): void {
  store.set((all) => {
    const kept = Object.entries(all[screen] ?? NONE).filter(([id]) => !ids.includes(Number(id)));
    return kept.length === Object.keys(all[screen] ?? NONE).length ? all : { ...all, [screen]: Object.fromEntries(kept) };
  });
}

/** What is refused of a screen's records. */
export function useRefused(screen: string): ById {
  return useStore(store, (all) => all[screen] ?? NONE);
}

/** What the server says of each cause; its whole message where it tells none apart. */
export function reasonsOf(data: unknown, msg: string): Reason[] {
  const told = typeof data === 'object' && data !== null && 'reasons' in data ? data.reasons : null;
  return Array.isArray(told) && told.length > 0 ? (told as Reason[]) : [{ msg, ways: [] }];
}
