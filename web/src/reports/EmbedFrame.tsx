/** One embedded report: the frame, its guest token, and what is said when it can't be shown. */
import { Button, Result, Spin } from 'antd';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { ApiError } from '@/lib/errors';
import { usePageActive } from '@/lib/tabs';
import { openFramePort, type FramePort } from './framePort';
import { fetchGuestToken, type FrameTab } from './frameQuery';
import { keepTokenFresh } from './guestToken';
import styles from './reports.module.css';

const answerWithin = 15_000;
const forbidden = 403;

type Trouble = { kind: 'denied' | 'down'; text: string };

interface Props {
  code: string;
  tab: FrameTab & { address: string };
  title: string;
}

export function EmbedFrame({ code, tab, title }: Props) {
  const [attempt, setAttempt] = useState(0);
  const [trouble, setTrouble] = useState<Trouble | null>(null);

  if (trouble === null) {
    return <LiveFrame key={attempt} code={code} tab={tab} title={title} onTrouble={setTrouble} />;
  }
  const retry = () => {
    setTrouble(null);
    setAttempt(attempt + 1);
  };
  return (
    <Result
      status={trouble.kind === 'denied' ? '403' : 'warning'}
      title={trouble.kind === 'denied' ? '没有查看此报表的权限' : '报表服务暂时无法打开'}
      subTitle={trouble.text}
      extra={
        <Button type="primary" onClick={retry}>
          重新打开
        </Button>
      }
    />
  );
}

function LiveFrame({ code, tab, title, onTrouble }: Props & { onTrouble: (trouble: Trouble) => void }) {
  const active = usePageActive();
  const port = useRef<FramePort | null>(null);
  const token = useRef<string | null>(null);
  const [loaded, setLoaded] = useState(false);

  const pass = () => {
    if (port.current && token.current) port.current.emit('guestToken', { guestToken: token.current });
  };

  const deliver = useEffectEvent((fresh: string) => {
    token.current = fresh;
    pass();
  });

  const failed = useEffectEvent((error: unknown) => {
    if (error instanceof ApiError && error.code === forbidden) {
      onTrouble({ kind: 'denied', text: error.msg });
      return true;
    }
    // With a token delivered before, the report stays on screen while renewal is tried again.
    if (token.current === null) onTrouble({ kind: 'down', text: error instanceof Error ? error.message : String(error) });
    return token.current === null;
  });

  useEffect(() => {
    if (!active) return;
    const keeper = keepTokenFresh({ fetchToken: () => fetchGuestToken(code, tab.key), deliver, failed });
    return keeper.stop;
  }, [active, code, tab.key]);

  const greet = (frame: HTMLIFrameElement) => {
    port.current?.close();
    const opened = openFramePort(frame);
    port.current = opened;
    opened.ask('getScrollSize', answerWithin).then(
      () => setLoaded(true),
      () => port.current === opened && onTrouble({ kind: 'down', text: '报表服务没有响应，请稍后重试或联系管理员。' }),
    );
    pass();
  };

  return (
    <div className={styles.frameBox}>
      {!loaded && <Spin className={styles.loading} size="large" description="正在打开报表" />}
      <iframe
        className={styles.frame}
        src={tab.address}
        title={title}
        sandbox="allow-same-origin allow-scripts allow-presentation allow-downloads allow-forms allow-popups"
        allow="fullscreen; clipboard-write"
        onLoad={(event) => greet(event.currentTarget)}
      />
    </div>
  );
}
