/** What was refused stays told, with what can be done about it, until it is done or closed: kept by user, screen and record. */
import { serverTime } from '../lib/businessClock';
import { userKey } from '../lib/session';
import { createStore, useStore } from '../lib/store';
import { readStored, removeStored, writeStored } from '../lib/stored';

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
  /** The bill's when it was refused; a form that has just saved it knows of none. */
  revision?: unknown;
  reasons: Reason[];
}

export interface Kept extends Refused {
  screen: string;
  /** The server's moment, in milliseconds. */
  at: number;
}

const NAME = 'refusals';
/** Older ones give way: nobody works off so many, or comes back so late. */
const MOST = 50;
const LONGEST = 7 * 24 * 3_600_000;

/** By user, as far as this page has looked: newest first. */
const known = new Map<string, readonly Kept[]>();
const changes = createStore(0);

window.addEventListener('storage', ({ key }) => {
  if (key !== null && known.delete(key)) changes.set((count) => count + 1);
});

function lasting(kept: readonly Kept[]): readonly Kept[] {
  return kept.filter(({ at }) => serverTime() - at < LONGEST).slice(0, MOST);
}

/** Of who is signed in, as the browser kept it. */
function mine(): readonly Kept[] {
  const owner = userKey(NAME);
  const found = known.get(owner) ?? lasting(readStored<Kept[]>(NAME) ?? []);
  known.set(owner, found);
  return found;
}

function change(next: readonly Kept[]): void {
  const kept = lasting(next);
  known.set(userKey(NAME), kept);
  if (kept.length > 0) writeStored(NAME, kept);
  else removeStored(NAME);
  changes.set((count) => count + 1);
}

/** Keeps what was refused in the place of what was refused of the same records before. */
export function keepRefused(screen: string, refused: Refused[]): void {
  if (refused.length === 0) return;
  const at = serverTime();
  change([...refused.map((one) => ({ ...one, screen, at })), ...others(screen, refused.map(({ id }) => id))]);
}

/** Forgets what was done since, or closed. */
export function dropRefused(screen: string, ids: number[]): void {
  const rest = others(screen, ids);
  if (rest.length < mine().length) change(rest);
}

function others(screen: string, ids: number[]): Kept[] {
  return mine().filter((one) => one.screen !== screen || !ids.includes(one.id));
}

/** What is refused of the user, on whatever screen. */
export function useRefused(): readonly Kept[] {
  return useStore(changes, mine);
}

/** What the server says of each cause; its whole message where it tells none apart. */
export function reasonsOf(data: unknown, msg: string): Reason[] {
  const told = typeof data === 'object' && data !== null && 'reasons' in data ? data.reasons : null;
  return Array.isArray(told) && told.length > 0 ? (told as Reason[]) : [{ msg, ways: [] }];
}
