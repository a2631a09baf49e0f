import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openFrame, preloadFrame, preloadLastFrame } from './preloadedFrame';

const FIRST = 'http://reports.example/embedded/one?role_id=3';
const NEXT = 'http://reports.example/embedded/two?role_id=3';

let place: HTMLElement;
/** What the frames that stand in the document were told. */
let frameMessages: unknown[];
let answer: boolean | undefined;

const waiting = () => document.body.querySelector<HTMLIFrameElement>(':scope > iframe');

/** A frame's page has loaded; it answers when it is told its report. */
function loads(frame: HTMLIFrameElement | null) {
  if (frame === null) throw new Error('no frame');
  const contentWindow = {
    postMessage: (message: unknown, origin: string, [port]: MessagePort[]) => {
      frameMessages.push({ message, origin });
      if (answer !== undefined) port?.postMessage(answer);
    },
  };
  Object.defineProperty(frame, 'contentWindow', { value: contentWindow, configurable: true });
  frame.dispatchEvent(new Event('load'));
}

async function prepared() {
  preloadFrame(FIRST);
  await vi.advanceTimersByTimeAsync(3_000);
  return waiting();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  Object.assign(Element.prototype, { moveBefore: Element.prototype.insertBefore });
  localStorage.clear();
  frameMessages = [];
  answer = true;
  place = document.createElement('div');
  document.body.append(place);
});

afterEach(async () => {
  // The one that waits is taken.
  openFrame(place, FIRST, () => undefined);
  await vi.runAllTimersAsync();
  document.body.replaceChildren();
  Reflect.deleteProperty(Element.prototype, 'moveBefore');
  vi.useRealTimers();
});

describe('a frame that waits', () => {
  it('is told the report that is opened, and not loaded again', async () => {
    const standby = await prepared();
    loads(standby);
    const onLoad = vi.fn();
    const frame = openFrame(place, NEXT, onLoad);
    expect(frame).toBe(standby);
    expect(frame.parentElement).toBe(place);
    expect([frame.inert, frame.ariaHidden, frame.getAttribute('style')]).toEqual([false, null, null]);
    await vi.waitFor(() => expect(onLoad).toHaveBeenCalledExactlyOnceWith(frame));
    expect(frameMessages).toEqual([
      { message: { type: 'erp_turn_to', address: NEXT }, origin: 'http://reports.example' },
    ]);
    expect(frame.src).toBe(FIRST);
  });

  it('is told as soon as it has loaded', async () => {
    const standby = await prepared();
    const onLoad = vi.fn();
    openFrame(place, NEXT, onLoad);
    await vi.advanceTimersByTimeAsync(100);
    expect(frameMessages).toEqual([]);
    loads(standby);
    await vi.waitFor(() => expect(onLoad).toHaveBeenCalledOnce());
  });

  it.each([
    ['refuses', false],
    ['does not answer', undefined],
  ])('is loaded with the report when it %s', async (_, said) => {
    answer = said;
    const standby = await prepared();
    loads(standby);
    const onLoad = vi.fn();
    const frame = openFrame(place, NEXT, onLoad);
    await vi.advanceTimersByTimeAsync(6_000);
    await vi.waitFor(() => expect(frame.src).toBe(NEXT));
    expect(onLoad).not.toHaveBeenCalled();
    loads(frame);
    expect(onLoad).toHaveBeenCalledOnce();
  });

  it('is out of sight and out of reach', async () => {
    const standby = await prepared();
    expect([standby?.inert, standby?.ariaHidden, standby?.style.opacity]).toEqual([true, 'true', '0']);
  });

  it('is one alone', async () => {
    await prepared();
    await prepared();
    expect(document.querySelectorAll('iframe')).toHaveLength(1);
  });

  it('is of no use to another site', async () => {
    const standby = await prepared();
    const frame = openFrame(place, 'http://elsewhere.example/embedded/two?role_id=3', () => undefined);
    expect(frame).not.toBe(standby);
    expect(frame.src).toContain('elsewhere');
  });
});

describe('whose browser has one', () => {
  it('is who has read a report in it before', async () => {
    preloadLastFrame();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(waiting()).toBeNull();
    await prepared();
    openFrame(place, NEXT, () => undefined);
    preloadLastFrame();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(waiting()?.src).toBe(FIRST);
  });

  it('is who need not load a frame again to move it', async () => {
    Reflect.deleteProperty(Element.prototype, 'moveBefore');
    expect(await prepared()).toBeNull();
    const onLoad = vi.fn();
    const frame = openFrame(place, NEXT, onLoad);
    expect(frame.src).toBe(NEXT);
    loads(frame);
    expect(onLoad).toHaveBeenCalledOnce();
  });
});
