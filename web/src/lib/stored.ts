import { userKey } from './session';

/** What this browser remembers for the user: columns, last queries, drafts. A full or broken store is no failure. */
export interface StoredSlot {
  read: <T>() => T | null;
  /** False when the browser's store is full. */
  write: (value: unknown) => boolean;
  remove: () => void;
}

/** Belongs to who is signed in now, also when he is signed out by the time it is written. */
export function storedSlot(name: string): StoredSlot {
  const key = userKey(name);
  return {
    read: <T>() => {
      const text = localStorage.getItem(key);
      if (text === null) return null;
      try {
        return JSON.parse(text) as T;
      } catch {
        return null;
      }
    },
    write: (value) => {
      try {
        localStorage.setItem(key, JSON.stringify(value));
        return true;
      } catch {
        return false;
      }
    },
    remove: () => localStorage.removeItem(key),
  };
}

export function readStored<T>(name: string): T | null {
  return storedSlot(name).read<T>();
}

export function writeStored(name: string, value: unknown): boolean {
  return storedSlot(name).write(value);
}

export function removeStored(name: string): void {
  storedSlot(name).remove();
}
