/**
 * Keeps a framed report's guest token fresh. The clock is compared rather than one long timer trusted: timers stand
 * still while a machine sleeps, and the token must be new before the first click after waking.
 */
import type { GuestToken } from '@/gen';
import { machineTime } from '@/lib/businessClock';

export interface TokenKeeper {
  stop: () => void;
}

interface Duties {
  fetchToken: () => Promise<GuestToken>;
  deliver: (token: string) => void;
  /** Called for each failed renewal; `true` gives up (no right any more). */
  failed: (error: unknown) => boolean;
}

const checkEvery = 5_000;
const longestMargin = 60_000;
const retryAfter = 5_000;
const wakingEvents = ['online', 'focus', 'pageshow'] as const;

/** Milliseconds after which a token of this life is renewed: a minute before its end, or half-way when shorter. */
export function renewalDelay(expiresIn: number): number {
  const life = expiresIn * 1000;
  return Math.max(life - longestMargin, life / 2);
}

export function keepTokenFresh({ fetchToken, deliver, failed }: Duties): TokenKeeper {
  let dueAt = 0;
  let busy = false;
  let stopped = false;

  const renew = async () => {
    busy = true;
    try {
      const { token, expires_in } = await fetchToken();
      if (stopped) return;
      dueAt = machineTime() + renewalDelay(expires_in);
      deliver(token);
    } catch (error) {
      dueAt = machineTime() + retryAfter;
      if (!stopped && failed(error)) stop();
    } finally {
      busy = false;
    }
  };

  const check = () => {
    if (!stopped && !busy && machineTime() >= dueAt) void renew();
  };

  const timer = window.setInterval(check, checkEvery);
  for (const name of wakingEvents) window.addEventListener(name, check);
  document.addEventListener('visibilitychange', check);

  const stop = () => {
    stopped = true;
    window.clearInterval(timer);
    for (const name of wakingEvents) window.removeEventListener(name, check);
    document.removeEventListener('visibilitychange', check);
  };

  check();
  return { stop };
}
