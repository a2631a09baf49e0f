/**
 * The talk with an embedded Superset page, as its embedded SDK does it: a message channel handed over after the frame
 * has loaded. Not the SDK itself: it makes the frame's address, can't be told to renew at once, and drops the frame.
 */

const HANDSHAKE = { type: '__embedded_comms__', handshake: 'port transfer' };

interface PortReply {
  switchboardAction: 'reply' | 'error';
  messageId: string;
  result?: unknown;
  error?: string;
}

export interface FramePort {
  /** Tells the frame something, say a new guest token. */
  emit: (method: string, args: Record<string, unknown>) => void;
  /** Asks the frame; rejects when no answer came in time. */
  ask: <T>(method: string, waitMs: number) => Promise<T>;
  close: () => void;
}

function isReply(data: unknown): data is PortReply {
  if (typeof data !== 'object' || data === null || !('switchboardAction' in data)) return false;
  return data.switchboardAction === 'reply' || data.switchboardAction === 'error';
}

export function openFramePort(frame: HTMLIFrameElement): FramePort {
  const { port1: port, port2: theirs } = new MessageChannel();
  const waiting = new Map<string, (reply: PortReply) => void>();
  let lastId = 0;
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (isReply(data)) waiting.get(data.messageId)?.(data);
  };
  frame.contentWindow?.postMessage(HANDSHAKE, new URL(frame.src).origin, [theirs]);

  return {
    emit: (method, args) => port.postMessage({ switchboardAction: 'emit', method, args }),
    ask: <T>(method: string, waitMs: number) =>
      new Promise<T>((resolve, reject) => {
        const messageId = `shell-${++lastId}`;
        const timer = window.setTimeout(() => finish(() => reject(new Error('no answer from the frame'))), waitMs);
        const finish = (outcome: () => void) => {
          window.clearTimeout(timer);
          waiting.delete(messageId);
          outcome();
        };
        waiting.set(messageId, (reply) =>
          finish(() =>
            reply.switchboardAction === 'reply'
              ? resolve(reply.result as T)
              : reject(new Error(reply.error ?? 'refused')),
          ),
        );
        port.postMessage({ switchboardAction: 'get', messageId, method, args: {} });
      }),
    close: () => port.close(),
  };
}
