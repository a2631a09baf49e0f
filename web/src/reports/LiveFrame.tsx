/** One loaded frame: the message port to the report server's page, and a guest token that is renewed. */
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { ApiError } from '@/lib/errors';
import { openFramePort, type FramePort } from './framePort';
import { fetchGuestToken } from './frameQuery';
import { startTokenRenewal } from './guestToken';
import styles from './reports.module.css';
import { openFrame } from './preloadedFrame';

const ANSWER_TIMEOUT = 15_000;
const FORBIDDEN_CODE = 403;

export interface FrameFailure {
  kind: 'denied' | 'down';
  text: string;
}

interface Props {
  code: string;
  tabKey: string;
  address: string;
  title: string;
  /** Loading behind the frame on screen. */
  isBackground: boolean;
  active: boolean;
  /** The page in the frame answers. */
  onReady: (port: FramePort, frame: HTMLIFrameElement) => void;
  onFailure: (trouble: FrameFailure) => void;
}

export function LiveFrame({
  code,
  tabKey,
  address,
  title,
  isBackground: behind,
  active,
  onReady,
  onFailure: onTrouble,
}: Props) {
  const port = useRef<FramePort | null>(null);
  const token = useRef<string | null>(null);
  const place = useRef<HTMLDivElement>(null);

  const pass = () => {
    if (port.current && token.current) port.current.emit('guestToken', { guestToken: token.current });
  };

  const deliver = useEffectEvent((fresh: string) => {
    token.current = fresh;
    pass();
  });

  const failed = useEffectEvent((error: unknown) => {
    if (error instanceof ApiError && error.code === FORBIDDEN_CODE) {
      onTrouble({ kind: 'denied', text: error.msg });
      return true;
    }
    // With a token delivered before, the report stays on screen while renewal is tried again.
    if (token.current !== null) return false;
    onTrouble({ kind: 'down', text: error instanceof Error ? error.message : String(error) });
    return true;
  });

  useEffect(() => {
    if (!active) return;
    const keeper = startTokenRenewal({ fetchToken: () => fetchGuestToken(code, tabKey), deliver, onFailure: failed });
    return keeper.stop;
  }, [active, code, tabKey]);

  const greet = useEffectEvent((frame: HTMLIFrameElement) => {
    port.current?.close();
    const opened = openFramePort(frame);
    port.current = opened;
    opened.ask('getScrollSize', ANSWER_TIMEOUT).then(
      () => onReady(opened, frame),
      () => port.current === opened && onTrouble({ kind: 'down', text: '报表服务没有响应，请稍后重试或联系管理员。' }),
    );
    pass();
  });

  useLayoutEffect(() => {
    if (place.current === null) return;
    const frame = openFrame(place.current, address, greet);
    frame.title = title;
    return () => {
      port.current?.close();
      port.current = null;
      frame.remove();
    };
  }, [address, title]);

  return (
    <div
      ref={place}
      className={behind ? `${styles.frame} ${styles.behind}` : styles.frame}
      aria-hidden={behind}
      inert={behind}
    />
  );
}
