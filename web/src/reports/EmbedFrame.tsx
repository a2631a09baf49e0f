/**
 * An embedded report that is loaded anew without a blank: the new frame comes up behind the old one, with the reader's
 * filters, and takes its place when its charts are there. It does so by itself only while its reader has done nothing in
 * the old one that would be lost. Left long ago for many others, it goes, and opens with these filters when its reader
 * is back.
 */
import { Button, Result, Spin } from 'antd';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { FrameTab } from '@/gen';
import { usePageActive } from '@/lib/tabs';
import { withFilters, type DataMask } from './frameFilters';
import type { FramePort } from './framePort';
import { keepUnseen } from './frameRoom';
import { LiveFrame, type Trouble } from './LiveFrame';
import styles from './reports.module.css';
import { prepareFrame } from './standbyFrame';
import { whenDrawn } from './whenDrawn';
import { scrollLike, whenTouched } from './whenTouched';

const maskWithin = 2_000;
/** As the report platform tells one: it lays the frame out for a narrow screen then. */
const phone = /\bMobi/.test(navigator.userAgent);

interface Loading {
  version: number;
  address: string;
}

interface Props {
  code: string;
  tab: FrameTab & { address: string };
  title: string;
  /** On screen among the report's tabs. */
  chosen: boolean;
  version: number;
  /** The newest version that its reader has asked for. */
  wanted: number;
  /** The filters that it opens with. */
  opensWith: DataMask;
  /** The talk with the frame on screen; null once it is in trouble. */
  onPort: (port: FramePort | null) => void;
  /** Which version is on screen. */
  onShow: (version: number) => void;
}

export function EmbedFrame({ code, tab, title, chosen, version, wanted, opensWith, onPort, onShow }: Props) {
  const active = usePageActive() && chosen;
  const port = useRef<FramePort | null>(null);
  const [shown, setShown] = useState<Loading>({ version, address: withFilters(tab.address, opensWith) });
  const [coming, setComing] = useState<Loading | null>(null);
  /** The newest version that failed behind the one on screen. */
  const [missed, setMissed] = useState(version);
  const [answered, setAnswered] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [gone, setGone] = useState(false);
  const touched = useRef(false);
  const onScreen = useRef<HTMLIFrameElement | null>(null);
  const wantedNow = useRef(wanted);
  useEffect(() => {
    wantedNow.current = wanted;
  }, [wanted]);

  const tellShown = useEffectEvent(onShow);
  useEffect(() => tellShown(shown.version), [shown.version]);

  if (gone && active) {
    setGone(false);
    setShown({ ...shown, version });
  }

  useEffect(() => {
    if (!active || trouble || coming || version <= Math.max(shown.version, missed)) return;
    if (touched.current && wanted <= shown.version) return;
    let given = true;
    void filtersOf(port.current).then(
      (filters) => given && setComing({ version, address: withFilters(tab.address, filters) }),
    );
    return () => {
      given = false;
    };
  }, [active, trouble, coming, version, wanted, shown.version, missed, tab.address]);

  const watching = useRef(() => {});
  const watch = (frame: HTMLIFrameElement, drawn: () => void) => {
    watching.current();
    watching.current = whenDrawn(frame, drawn);
  };
  useEffect(() => () => watching.current(), []);

  const attending = useRef(() => {});
  const attend = (frame: HTMLIFrameElement) => {
    attending.current();
    touched.current = false;
    onScreen.current = frame;
    attending.current = whenTouched(frame, () => (touched.current = true));
  };
  useEffect(() => () => attending.current(), []);

  const answers = (opened: FramePort | null) => {
    port.current = opened;
    onPort(opened);
  };

  const takeOver = (next: Loading, opened: FramePort, frame: HTMLIFrameElement) => {
    if (touched.current && wantedNow.current < next.version) {
      setMissed(next.version);
      setComing(null);
      return;
    }
    scrollLike(frame, onScreen.current);
    attend(frame);
    answers(opened);
    setShown(next);
    setComing(null);
    prepareFrame(tab.address);
  };

  const giveWay = useEffectEvent((filters: DataMask) => {
    watching.current();
    answers(null);
    setAnswered(false);
    setComing(null);
    setShown({ ...shown, address: withFilters(tab.address, filters) });
    setGone(true);
  });

  useEffect(() => {
    if (active || gone || !answered) return;
    let given = true;
    const end = keepUnseen(() => void filtersOf(port.current).then((filters) => given && giveWay(filters)));
    return () => {
      given = false;
      end();
    };
  }, [active, gone, answered]);

  if (trouble) {
    const retry = () => {
      setAnswered(false);
      setComing(null);
      setShown({ version, address: withFilters(tab.address, opensWith) });
      setTrouble(null);
    };
    return <Refusal trouble={trouble} onRetry={retry} />;
  }

  const frames = gone ? [] : coming ? [shown, coming] : [shown];
  return (
    <div className={phone ? styles.frameBox : `${styles.frameBox} ${styles.desk}`}>
      {!answered && <Spin className={styles.loading} size="large" description="正在打开报表" />}
      {frames.map((frame) => (
        <LiveFrame
          key={frame.version}
          code={code}
          tabKey={tab.key}
          address={frame.address}
          title={title}
          behind={frame === coming}
          active={active}
          onReady={(opened, element) => {
            if (frame === coming) {
              watch(element, () => takeOver(frame, opened, element));
              return;
            }
            attend(element);
            answers(opened);
            setAnswered(true);
            watch(element, () => prepareFrame(tab.address));
          }}
          onTrouble={(reason) => {
            watching.current();
            if (frame !== coming) {
              answers(null);
              setTrouble(reason);
              return;
            }
            setMissed(frame.version);
            setComing(null);
          }}
        />
      ))}
    </div>
  );
}

/** What the reader has set the frame's filters to. */
function filtersOf(port: FramePort | null): Promise<DataMask> {
  return port?.ask<DataMask>('getDataMask', maskWithin).catch(() => ({})) ?? Promise.resolve({});
}

function Refusal({ trouble, onRetry }: { trouble: Trouble; onRetry: () => void }) {
  const denied = trouble.kind === 'denied';
  return (
    <Result
      status={denied ? '403' : 'warning'}
      title={denied ? '没有查看此报表的权限' : '报表服务暂时无法打开'}
      subTitle={trouble.text}
      extra={
        <Button type="primary" onClick={onRetry}>
          重新打开
        </Button>
      }
    />
  );
}
