import { userKey } from './session';

/** A value that this browser stores per user: columns, last queries, drafts. A full or broken store is no failure. */
export interface LocalStorageSlot {
  read: <T>() => T | null;
  /** False when the browser's store is full. */
  write: (value: unknown) => boolean;
  remove: () => void;
}

/** Belongs to who is signed in now, also when he is signed out by the time it is written. */
export function openSlot(name: string): LocalStorageSlot {
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

export function readSlot<T>(name: string): T | null {
  return openSlot(name).read<T>();
}

export function writeSlot(name: string, value: unknown): boolean {
  return openSlot(name).write(value);
}

export function removeSlot(name: string): void {
  openSlot(name).remove();
}
