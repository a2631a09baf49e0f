import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTokenRenewal, renewalDelay, type TokenRenewal } from './guestToken';

const life = 300;
let keeper: TokenRenewal;
let issued = 0;
const fetchToken = vi.fn(() => Promise.resolve({ token: `t${++issued}`, expires_in: life }));
const deliver = vi.fn<(token: string) => void>();
const failed = vi.fn<(error: unknown) => boolean>(() => false);

const start = async () => {
  keeper = startTokenRenewal({ fetchToken, deliver, onFailure: failed });
  await vi.advanceTimersByTimeAsync(0);
};

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-20T08:00:00Z') });
  issued = 0;
});

afterEach(() => {
  keeper.stop();
  vi.clearAllMocks();
  vi.useRealTimers();
});

describe('guest token', () => {
  it('is delivered at once and renewed a minute before its end', async () => {
    await start();
    expect(deliver).toHaveBeenLastCalledWith('t1');
    await vi.advanceTimersByTimeAsync(235_000);
    expect(fetchToken).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(deliver).toHaveBeenLastCalledWith('t2');
  });

  it('renews short tokens half-way', () => {
    expect(renewalDelay(60)).toBe(30_000);
    expect(renewalDelay(300)).toBe(240_000);
  });

  it('is renewed on waking, before any timer has run', async () => {
    await start();
    vi.setSystemTime(new Date('2026-11-20T16:00:00Z'));
    window.dispatchEvent(new Event('focus'));
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
    expect(fetchToken).toHaveBeenCalledTimes(2);
    expect(deliver).toHaveBeenLastCalledWith('t2');
  });

  it('is asked again after a failure', async () => {
    fetchToken.mockRejectedValueOnce(new Error('网络错误'));
    await start();
    expect(failed).toHaveBeenCalledTimes(1);
    expect(deliver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(deliver).toHaveBeenLastCalledWith('t1');
  });

  it('is given up when the right is gone', async () => {
    fetchToken.mockRejectedValueOnce(new Error('无权限'));
    failed.mockReturnValueOnce(true);
    await start();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(fetchToken).toHaveBeenCalledTimes(1);
  });

  it('is neither renewed nor delivered after the frame is gone', async () => {
    await start();
    vi.setSystemTime(new Date('2026-11-20T09:00:00Z'));
    window.dispatchEvent(new Event('focus'));
    keeper.stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(deliver).toHaveBeenCalledTimes(1);
  });
});
