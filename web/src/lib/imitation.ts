/** Simulated login: the user's session takes the place of one's own, which waits until the end. */
import type { LoggedIn } from '@/gen';
import { api } from './api';
import { isCancelled } from './errors';
import { getSession, setSession, type Session } from './session';

const WAITING = 'imitationOrigin';

/** Goes on as the user; everything kept in memory goes with the reload. */
export async function imitate(userId: number): Promise<void> {
  const { department_name, system, ...login } = await api.post<LoggedIn>('v2/system/ImitateLogin/imitate', { user_id: userId });
  const { type = 0, operatingVersion = 1, extendToolbar = '默认' } = system;
  localStorage.setItem(WAITING, JSON.stringify(getSession()));
  setSession({ ...login, department_name: department_name ?? '', system: { type, operatingVersion, extendToolbar } });
  window.location.assign('/home');
}

/** Back to oneself, also when the simulated session is over already. */
export async function endImitation(): Promise<void> {
  try {
    await api.post('v2/user/Login/endImitate');
  } catch (error) {
    if (isCancelled(error)) throw error;
  }
  // A read in flight may have been told first that the session is over, and have gone back already.
  if (getSession()?.imitator != null && !returnToOneself()) setSession(null);
  window.location.assign('/home');
}

/** One's own session again, if one was acting as somebody; false otherwise. */
export function returnToOneself(): boolean {
  const waiting = localStorage.getItem(WAITING);
  localStorage.removeItem(WAITING);
  const own = waiting === null ? null : (JSON.parse(waiting) as Session | null);
  if (own === null || getSession()?.imitator == null) return false;
  setSession(own);
  return true;
}
