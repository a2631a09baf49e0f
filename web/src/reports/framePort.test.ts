import { afterEach, describe, expect, it, vi } from 'vitest';
import { openFramePort } from './framePort';

/** A frame whose page answers as the report server's embedded page does. */
function frameWith(answer: (method: string) => unknown) {
  const received: unknown[] = [];
  const frame = document.createElement('iframe');
  frame.src = 'http://reports.example/embedded/e?role_id=3';
  const contentWindow = {
    postMessage: (message: unknown, origin: string, [port]: MessagePort[]) => {
      received.push({ message, origin });
      if (port === undefined) return;
      port.onmessage = ({ data }: MessageEvent<{ switchboardAction: string; messageId: string; method: string }>) => {
        received.push(data);
        if (data.switchboardAction !== 'get') return;
        const result = answer(data.method);
        if (result === undefined) return;
        const outcome =
          result instanceof Error
            ? { switchboardAction: 'error', error: result.message }
            : { switchboardAction: 'reply', result };
        port.postMessage({ ...outcome, messageId: data.messageId });
      };
    },
  };
  Object.defineProperty(frame, 'contentWindow', { value: contentWindow });
  return { frame, received };
}

afterEach(() => vi.useRealTimers());

describe('frame port', () => {
  it('hands its channel to the report server’s origin only', () => {
    const { frame, received } = frameWith(() => undefined);
    openFramePort(frame).close();
    expect(received[0]).toEqual({
      message: { type: '__embedded_comms__', handshake: 'port transfer' },
      origin: 'http://reports.example',
    });
  });

  it('emits the guest token', async () => {
    const { frame, received } = frameWith(() => true);
    const port = openFramePort(frame);
    port.emit('guestToken', { guestToken: 'g1' });
    await port.ask('getScrollSize', 1000);
    expect(received).toContainEqual({ switchboardAction: 'emit', method: 'guestToken', args: { guestToken: 'g1' } });
    port.close();
  });

  it('resolves answers and rejects refusals', async () => {
    const { frame } = frameWith((method) =>
      method === 'getScrollSize' ? { width: 1, height: 2 } : new Error('no such method'),
    );
    const port = openFramePort(frame);
    await expect(port.ask('getScrollSize', 1000)).resolves.toEqual({ width: 1, height: 2 });
    await expect(port.ask('other', 1000)).rejects.toThrow('no such method');
    port.close();
  });

  it('gives up on a frame that does not answer', async () => {
    const { frame } = frameWith(() => undefined);
    const port = openFramePort(frame);
    await expect(port.ask('getScrollSize', 20)).rejects.toThrow('no answer');
    port.close();
  });
});
