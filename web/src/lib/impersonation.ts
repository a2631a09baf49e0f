/** Impersonation (模拟登录): the user's session replaces one's own, which is stored until the end. */
import type { LoggedIn } from '@/gen';
import { api } from './api';
import { isCancelled } from './errors';
import { getSession, setSession, type Session } from './session';

const ORIGIN_KEY = 'imitationOrigin';

/** Goes on as the user; everything kept in memory goes with the reload. */
export async function startImpersonation(userId: number): Promise<void> {
  const { department_name, system, ...login } = await api.post<LoggedIn>('v2/system/ImitateLogin/imitate', {
    user_id: userId,
  });
  const { type = 0, operatingVersion = 1, extendToolbar = '默认' } = system;
  localStorage.setItem(ORIGIN_KEY, JSON.stringify(getSession()));
  setSession({ ...login, department_name: department_name ?? '', system: { type, operatingVersion, extendToolbar } });
  window.location.assign('/home');
}

/** Back to oneself, also when the simulated session is over already. */
export async function endImpersonation(): Promise<void> {
  try {
    await api.post('v2/user/Login/endImitate');
  } catch (error) {
    if (isCancelled(error)) throw error;
  }
  // A read in flight may have been told first that the session is over, and have gone back already.
  if (getSession()?.imitator != null && !restoreOwnSession()) setSession(null);
  window.location.assign('/home');
}

/** One's own session again, if one was acting as somebody; false otherwise. */
export function restoreOwnSession(): boolean {
  const waiting = localStorage.getItem(ORIGIN_KEY);
  localStorage.removeItem(ORIGIN_KEY);
  const own = waiting === null ? null : (JSON.parse(waiting) as Session | null);
  if (own === null || getSession()?.imitator == null) return false;
  setSession(own);
  return true;
}
