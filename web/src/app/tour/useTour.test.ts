import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Session } from '@/lib/session';
import { useTour } from './useTour';

const { listPreferences, savePreference } = vi.hoisted(() => ({
  listPreferences: vi.fn<() => Promise<unknown[]>>(),
  savePreference: vi.fn(() => Promise.resolve()),
}));
vi.mock('@/lib/preferences', () => ({ listPreferences, savePreference }));

const led = { company_admin_id: 1, imitator: null } as Session;

beforeEach(() => void listPreferences.mockReset());

it('keeps what else would open waiting, from before it is known whether he is led until he has been', async () => {
  let tell: (seen: unknown[]) => void = () => undefined;
  listPreferences.mockReturnValue(new Promise((resolve) => (tell = resolve)));
  const { result } = renderHook(() => useTour(led, true));
  expect([result.current.open, result.current.pending]).toEqual([false, true]);
  await act(async () => tell([]));
  expect([result.current.open, result.current.pending]).toEqual([true, true]);
  act(() => result.current.end());
  expect([result.current.open, result.current.pending]).toEqual([false, false]);
});

it('keeps nothing waiting for who was led before, is not to be, or can’t be asked about', async () => {
  listPreferences.mockResolvedValue(['seen']);
  const before = renderHook(() => useTour(led, true));
  await waitFor(() => expect(before.result.current.pending).toBe(false));
  expect(before.result.current.open).toBe(false);
  expect(renderHook(() => useTour({ ...led, company_admin_id: null }, true)).result.current.pending).toBe(false);
  listPreferences.mockRejectedValue(new Error('网络错误'));
  const failed = renderHook(() => useTour(led, true));
  await waitFor(() => expect(failed.result.current.pending).toBe(false));
});
