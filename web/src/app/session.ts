/** The login as React state: one value for the whole shell, following logins and logouts in other browser tabs. */
import { useSyncExternalStore } from 'react';
import type { LoggedIn } from '@/gen';
import { getSession, setOperatingVersion, setSession, type Session } from '@/lib/session';

const listeners = new Set<() => void>();
const RETURN_KEY = 'returnTo';
let currentSession = getSession();

function notifyChange(): void {
  currentSession = getSession();
  for (const listener of listeners) listener();
}

window.addEventListener('storage', (event) => {
  if (event.key === null || event.key === 'token') notifyChange();
});

export function signIn({ department_name, system, ...login }: LoggedIn): void {
  const { type = 0, operatingVersion = 1, extendToolbar = '默认' } = system;
  setSession({ ...login, department_name: department_name ?? '', system: { type, operatingVersion, extendToolbar } });
  notifyChange();
}

/** The user has set his own password. */
export function markPasswordChanged(): void {
  if (currentSession) setSession({ ...currentSession, must_change_password: false });
  notifyChange();
}

/** Standard or simple from now on, in this login. */
export function switchVersion(operatingVersion: number): void {
  setOperatingVersion(operatingVersion);
  notifyChange();
}

/** Forgets the login. Drafts, columns and query schemes belong to the user, not to the session, and stay. */
export function signOut(): void {
  setSession(null);
  notifyChange();
}

export function useSession(): Session | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => currentSession,
  );
}

/** Remembers where an expired session was, so that the same user comes back to it. */
export function storeReturnRoute(userId: number, route: string): void {
  sessionStorage.setItem(RETURN_KEY, JSON.stringify({ userId, route }));
}

/** Return the route that a user is sent to after login. */
export function routeAfterLogin(userId: number): string {
  const stored = sessionStorage.getItem(RETURN_KEY);
  if (stored === null) return '/home';
  const { userId: owner, route } = JSON.parse(stored) as { userId: number; route: string };
  return owner === userId ? route : '/home';
}

export function clearReturnRoute(): void {
  sessionStorage.removeItem(RETURN_KEY);
}
