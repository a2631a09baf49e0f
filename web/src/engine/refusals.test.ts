import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const refused = (id: number) => ({
  id,
  serial: `XSCK${id}`,
  action: '审核',
  revision: 1,
  reasons: [{ msg: '库存不足', ways: [] }],
});
const DAY = 24 * 3_600_000;

/** A page that was loaded anew, of whoever is signed in: what it tells, and how it is told more. */
async function load(user: number) {
  vi.resetModules();
  localStorage.setItem('user_id', String(user));
  const { removeRefusals: dropRefused, addRefusals: keepRefused, useRefusals: useRefused } = await import('./refusals');
  const { result } = renderHook(() => useRefused());
  return {
    keepRefused: (ids: number[], screen = 'sales_outbound') => act(() => keepRefused(screen, ids.map(refused))),
    dropRefused: (ids: number[], screen = 'sales_outbound') => act(() => dropRefused(screen, ids)),
    told: () => result.current.map(({ screen, serial }) => `${screen} ${serial}`),
  };
}

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
});

it('is still told when the page is loaded anew, until it is dealt with', async () => {
  (await load(7)).keepRefused([8, 9]);
  const again = await load(7);
  expect(again.told()).toEqual(['sales_outbound XSCK8', 'sales_outbound XSCK9']);
  again.dropRefused([8], 'purchase_inbound');
  again.dropRefused([8]);
  expect(again.told()).toEqual(['sales_outbound XSCK9']);
  expect((await load(7)).told()).toEqual(['sales_outbound XSCK9']);
});

it('is told to nobody else, although the page stays the same', async () => {
  const page = await load(7);
  page.keepRefused([9]);
  localStorage.setItem('user_id', '8');
  page.keepRefused([5]);
  expect(page.told()).toEqual(['sales_outbound XSCK5']);
  expect((await load(8)).told()).toEqual(['sales_outbound XSCK5']);
  expect((await load(7)).told()).toEqual(['sales_outbound XSCK9']);
});

it('takes the place of what was refused of the same bill before', async () => {
  const page = await load(7);
  page.keepRefused([9]);
  page.keepRefused([9]);
  page.keepRefused([9], 'purchase_inbound');
  expect(page.told()).toEqual(['purchase_inbound XSCK9', 'sales_outbound XSCK9']);
});

it('keeps the newest fifty, a week long', async () => {
  const page = await load(7);
  for (let id = 1; id <= 60; id += 1) page.keepRefused([id]);
  expect((await load(7)).told()).toEqual(Array.from({ length: 50 }, (_, at) => `sales_outbound XSCK${60 - at}`));
  vi.useFakeTimers({ now: Date.now() + 6 * DAY });
  expect((await load(7)).told()).toHaveLength(50);
  vi.useFakeTimers({ now: Date.now() + 2 * DAY });
  expect((await load(7)).told()).toEqual([]);
});

it('that is closed in another window is told in none', async () => {
  const page = await load(7);
  page.keepRefused([9]);
  localStorage.removeItem('u7:refusals');
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'u7:refusals' })));
  expect(page.told()).toEqual([]);
});
