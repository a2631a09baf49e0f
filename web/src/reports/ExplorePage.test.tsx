import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage } from '@/engine/harness';
import type { Action } from '@/engine/types';
import ExplorePage from './ExplorePage';

const api = 'v2/report/Explore';
const explore = { name: 'explore', label: '进入分析' } as Action;
const opened = { opener: window as unknown, close: vi.fn(), location: { replace: vi.fn() } };
let view: ReturnType<typeof renderPage>;

function show(actions: Action[], answer: Parameters<typeof renderPage>[1][string]) {
  view = renderPage(<ExplorePage screen={{ ...buildBillScreen(), name: 'explore', api, actions }} />, {
    [`${api}/getList`]: () => pageAnswer([]),
    [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
    [`${api}/explore`]: answer,
  });
}

beforeEach(() => {
  stubElementSizes();
  opened.opener = window;
  vi.stubGlobal('open', () => opened);
});
afterEach(() => {
  view.done();
  vi.clearAllMocks();
});

it('opens the exploring port in a window that knows nothing of this one', async () => {
  show([explore], () => okAnswer({ address: '//127.0.0.1:8002/open?ticket=once', expires_in: 60 }));
  fireEvent.click(await screen.findByText('进入分析'));
  await waitFor(() => expect(opened.location.replace).toHaveBeenCalledOnce());
  expect(String(opened.location.replace.mock.calls[0]?.[0])).toBe('http://127.0.0.1:8002/open?ticket=once');
  expect(opened.opener).toBeNull();
});

it('closes the window and says why there is no way in', async () => {
  show([explore], () => ({ code: 403, msg: '您没有此操作的权限', data: null }));
  fireEvent.click(await screen.findByText('进入分析'));
  await waitFor(() => expect(opened.close).toHaveBeenCalledOnce());
  expect(view.told.map(({ msg }) => msg)).toEqual(['您没有此操作的权限']);
});

it('offers no way in without the right', async () => {
  show([], () => okAnswer(null));
  await screen.findByText(/只含您的角色能看的数据/);
  expect(screen.queryByText('进入分析')).toBeNull();
});
