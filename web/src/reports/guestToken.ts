/**
 * Renewal of a framed report's guest token. The clock is compared rather than one long timer trusted: timers stand
 * still while a machine sleeps, and the token must be new before the first click after waking.
 */
import type { GuestToken } from '@/gen';
import { machineTime } from '@/lib/businessClock';

export interface TokenRenewal {
  stop: () => void;
}

interface TokenCallbacks {
  fetchToken: () => Promise<GuestToken>;
  deliver: (token: string) => void;
  /** Called for each failed renewal; `true` gives up (no right any more). */
  onFailure: (error: unknown) => boolean;
}

const CHECK_INTERVAL = 5_000;
const MAX_MARGIN = 60_000;
const RETRY_DELAY = 5_000;
const WAKE_EVENTS = ['online', 'focus', 'pageshow'] as const;

/** Milliseconds after which a token of this life is renewed: a minute before its end, or half-way when shorter. */
export function renewalDelay(expiresIn: number): number {
  const life = expiresIn * 1000;
  return Math.max(life - MAX_MARGIN, life / 2);
}

export function startTokenRenewal({ fetchToken, deliver, onFailure: failed }: TokenCallbacks): TokenRenewal {
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
      dueAt = machineTime() + RETRY_DELAY;
      if (!stopped && failed(error)) stop();
    } finally {
      busy = false;
    }
  };

  const check = () => {
    if (!stopped && !busy && machineTime() >= dueAt) void renew();
  };

  const timer = window.setInterval(check, CHECK_INTERVAL);
  for (const name of WAKE_EVENTS) window.addEventListener(name, check);
  document.addEventListener('visibilitychange', check);

  const stop = () => {
    stopped = true;
    window.clearInterval(timer);
    for (const name of WAKE_EVENTS) window.removeEventListener(name, check);
    document.removeEventListener('visibilitychange', check);
  };

  check();
  return { stop };
}
