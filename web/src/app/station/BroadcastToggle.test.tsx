import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { okAnswer, renderPage, type FakeRoutes } from '@/engine/harness';
import type { Broadcast } from '@/gen';
import { BroadcastToggle } from './BroadcastToggle';

const WARNING = '语音播报提示：语音播报机器人正在值守中！';
const ask = 'v2/open/BroadcastVoice/getBroadcastVoice';
const set = 'v2/open/BroadcastVoice/setIsBroadcast';
const news: Broadcast = {
  is_broadcast: 1,
  jybd_mp3_url: '/voice/broadcast.mp3',
  latest_id: 5,
  content: '您有新的订单',
};

let view: ReturnType<typeof renderPage>;
const played = vi.fn<(sound: string) => Promise<void>>();
const open = (routes: FakeRoutes = {}) => {
  view = renderPage(<BroadcastToggle userId={7} />, { [ask]: () => okAnswer(news), ...routes });
};
const isOn = () => screen.getByRole('button', { name: '语音播报' }).getAttribute('aria-pressed') === 'true';

beforeEach(() => {
  played.mockReset().mockResolvedValue();
  vi.stubGlobal(
    'Audio',
    class {
      constructor(private readonly sound: string) {}
      play = () => played(this.sound);
    },
  );
  // What came before is no news.
  localStorage.setItem('u7:broadcastHeard', '4');
});
afterEach(() => view.done());

describe('the voice broadcast (spec/1-shell.md 8)', () => {
  it('is heard once where the browser lets it', async () => {
    open();
    await waitFor(() => expect(played).toHaveBeenCalledWith('/voice/broadcast.mp3'));
    expect(view.calls[0]?.query.user_id).toBe('7');
    expect(localStorage.getItem('u7:broadcastHeard')).toBe('5');
    expect(screen.queryByText(WARNING)).toBeNull();
    expect(played).toHaveBeenCalledTimes(1);
  });

  it('warns where the browser refuses to play, and is heard two seconds after the warning is closed', async () => {
    played.mockRejectedValueOnce(
      new DOMException('play() failed because the user did not interact', 'NotAllowedError'),
    );
    open();
    expect(await screen.findByText(WARNING)).toBeTruthy();
    expect(played).toHaveBeenCalledTimes(1);
    const closed = Date.now();
    fireEvent.click(document.querySelector('.ant-notification-notice-close')!);
    await waitFor(() => expect(played).toHaveBeenCalledTimes(2));
    expect(Date.now() - closed).toBeGreaterThanOrEqual(1900);
  });

  it('does not warn where the sound itself is broken', async () => {
    played.mockRejectedValueOnce(new DOMException('no such sound', 'NotSupportedError'));
    open();
    await waitFor(() => expect(played).toHaveBeenCalledTimes(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(screen.queryByText(WARNING)).toBeNull();
  });

  it('says nothing while it is off, and is switched on at the server', async () => {
    let is_broadcast = 0;
    open({
      [ask]: () => okAnswer({ ...news, is_broadcast }),
      [set]: ({ body }) => ((is_broadcast = Number(body.is_broadcast)), okAnswer(null)),
    });
    await waitFor(() => expect(view.calls).toHaveLength(1));
    expect([isOn(), played.mock.calls.length, localStorage.getItem('is_broadcast')]).toEqual([false, 0, '0']);
    fireEvent.click(screen.getByRole('button', { name: '语音播报' }));
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('设置成功'));
    expect(view.calls.find(({ path }) => path === set)?.body).toEqual({ is_broadcast: 1 });
    await waitFor(() => expect(isOn()).toBe(true));
    await waitFor(() => expect(localStorage.getItem('is_broadcast')).toBe('1'));
  });

  it('goes off when the server does not answer with 200', async () => {
    let answer: ReturnType<typeof okAnswer> = okAnswer({ ...news, is_broadcast: 0, latest_id: 4 });
    open({ [ask]: () => answer, [set]: () => okAnswer(null) });
    await waitFor(() => expect(view.calls).toHaveLength(1));
    answer = { code: 400, msg: '未开通' };
    fireEvent.click(screen.getByRole('button', { name: '语音播报' }));
    // Switched on and told so, it asks again, and that is refused.
    await waitFor(() => expect(view.calls.map(({ path }) => path)).toEqual([ask, set, ask]));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([isOn(), localStorage.getItem('is_broadcast')]).toEqual([false, '0']);
  });
});
