/** Preferences that the server stores for a user: drafts, columns, query schemes, favourites. */
import { api } from './api';
import { uuid } from './sign';

export type PreferenceKind = 'draft' | 'columns' | 'scheme' | 'seen' | 'favourite';

export interface Preference<T> {
  preference_id: number;
  kind: PreferenceKind;
  screen: string;
  name: string;
  value: T;
  is_public: boolean;
  is_default: boolean;
  mine: boolean;
  owner_name: string;
  kept_at: string;
}

interface PreferenceFlags {
  is_public?: boolean;
  is_default?: boolean;
}

export function listPreferences<T>(kind: PreferenceKind, screen = '', name = ''): Promise<Preference<T>[]> {
  return api.get<Preference<T>[]>('v2/open/UserPreference/get', { kind, screen, name });
}

/** Each saving is a command of its own: what is saved last holds. */
export function savePreference(
  kind: PreferenceKind,
  screen: string,
  name: string,
  value: unknown,
  marks: PreferenceFlags = {},
): Promise<void> {
  return api.post('v2/open/UserPreference/save', { kind, screen, name, value, ...marks }, { idempotencyKey: uuid() });
}

export function removePreference(kind: PreferenceKind, screen: string, name: string): Promise<void> {
  return api.post('v2/open/UserPreference/del', { kind, screen, name }, { idempotencyKey: uuid() });
}

const pendingSaves = new Map<string, ReturnType<typeof setTimeout>>();

/** Saves a while after the last change, and quietly: this browser has its own copy. */
export function savePreferenceDebounced(
  kind: PreferenceKind,
  screen: string,
  name: string,
  value: () => unknown,
  delay: number,
): void {
  const key = `${kind}:${screen}:${name}`;
  clearTimeout(pendingSaves.get(key));
  pendingSaves.set(
    key,
    setTimeout(() => {
      pendingSaves.delete(key);
      const now = value();
      if (now !== null) void savePreference(kind, screen, name, now).catch(() => undefined);
    }, delay),
  );
}

/** Gives up a saving that waits. */
export function cancelPendingSave(kind: PreferenceKind, screen: string, name: string): void {
  const key = `${kind}:${screen}:${name}`;
  clearTimeout(pendingSaves.get(key));
  pendingSaves.delete(key);
}
