import { userKey } from './session';

/** What this browser remembers for the user: columns, last queries, drafts. A full or broken store is no failure. */

export function readStored<T>(name: string): T | null {
  const text = localStorage.getItem(userKey(name));
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

/** False when the browser's store is full. */
export function writeStored(name: string, value: unknown): boolean {
  try {
    localStorage.setItem(userKey(name), JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function removeStored(name: string): void {
  localStorage.removeItem(userKey(name));
}
