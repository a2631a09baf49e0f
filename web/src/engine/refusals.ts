/** Refusals with their remedies, stored by user, screen and record until they are resolved or closed. */
import { serverTime } from '../lib/businessClock';
import { userKey } from '../lib/session';
import { createStore, useStore } from '../lib/store';
import { readSlot, removeSlot, writeSlot } from '../lib/localStorageSlot';

/** Remedy of a cause; `route` opens a page, without it there is only the text. */
export interface Remedy {
  label: string;
  route: string;
}

export interface RefusalReason {
  msg: string;
  ways: Remedy[];
}

export interface RefusedRecord {
  id: number;
  /** The bill's number. */
  serial: string;
  /** The action that was refused, as users call it. */
  action: string;
  /** The bill's when it was refused; a form that has just saved it knows of none. */
  revision?: unknown;
  reasons: RefusalReason[];
}

export interface StoredRefusal extends RefusedRecord {
  screen: string;
  /** The server's moment, in milliseconds. */
  at: number;
}

const SLOT_NAME = 'refusals';
/** Older ones give way: nobody works off so many, or comes back so late. */
const MAX_REFUSALS = 50;
const MAX_AGE = 7 * 24 * 3_600_000;

/** By user, as far as this page has looked: newest first. */
const refusalsByUser = new Map<string, readonly StoredRefusal[]>();
const changeCount = createStore(0);

window.addEventListener('storage', ({ key }) => {
  if (key !== null && refusalsByUser.delete(key)) changeCount.set((count) => count + 1);
});

function dropExpired(kept: readonly StoredRefusal[]): readonly StoredRefusal[] {
  return kept.filter(({ at }) => serverTime() - at < MAX_AGE).slice(0, MAX_REFUSALS);
}

/** Return the stored refusals of the signed-in user. */
function readOwnRefusals(): readonly StoredRefusal[] {
  const owner = userKey(SLOT_NAME);
  const found = refusalsByUser.get(owner) ?? dropExpired(readSlot<StoredRefusal[]>(SLOT_NAME) ?? []);
  refusalsByUser.set(owner, found);
  return found;
}

function storeRefusals(next: readonly StoredRefusal[]): void {
  const kept = dropExpired(next);
  refusalsByUser.set(userKey(SLOT_NAME), kept);
  if (kept.length > 0) writeSlot(SLOT_NAME, kept);
  else removeSlot(SLOT_NAME);
  changeCount.set((count) => count + 1);
}

/** Keeps what was refused in the place of what was refused of the same records before. */
export function addRefusals(screen: string, refused: RefusedRecord[]): void {
  if (refused.length === 0) return;
  const at = serverTime();
  storeRefusals([
    ...refused.map((one) => ({ ...one, screen, at })),
    ...excludeRecords(
      screen,
      refused.map(({ id }) => id),
    ),
  ]);
}

/** Forgets what was done since, or closed. */
export function removeRefusals(screen: string, ids: number[]): void {
  const rest = excludeRecords(screen, ids);
  if (rest.length < readOwnRefusals().length) storeRefusals(rest);
}

function excludeRecords(screen: string, ids: number[]): StoredRefusal[] {
  return readOwnRefusals().filter((one) => one.screen !== screen || !ids.includes(one.id));
}

/** Return the user's refusals, of every screen. */
export function useRefusals(): readonly StoredRefusal[] {
  return useStore(changeCount, readOwnRefusals);
}

/** Parse the reasons of each cause; the whole message if the server lists none. */
export function parseReasons(data: unknown, msg: string): RefusalReason[] {
  const serverReasons = typeof data === 'object' && data !== null && 'reasons' in data ? data.reasons : null;
  return Array.isArray(serverReasons) && serverReasons.length > 0
    ? (serverReasons as RefusalReason[])
    : [{ msg, ways: [] }];
}
