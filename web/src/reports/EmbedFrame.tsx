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
import { addFilters, type DataMask } from './frameFilters';
import type { FramePort } from './framePort';
import { keepHiddenFrame } from './hiddenFrames';
import { LiveFrame, type FrameFailure } from './LiveFrame';
import styles from './reports.module.css';
import { preloadFrame } from './preloadedFrame';
import { whenRendered } from './whenRendered';
import { copyScroll, whenInteracted } from './whenInteracted';

const MASK_TIMEOUT = 2_000;
/** Test of mobile browsers, the same as the report platform's: it lays out the frame for a narrow screen then. */
const IS_MOBILE = /\bMobi/.test(navigator.userAgent);

interface FrameVersion {
  version: number;
  address: string;
}

interface Props {
  code: string;
  tab: FrameTab & { address: string };
  title: string;
  /** On screen among the report's tabs. */
  isSelected: boolean;
  version: number;
  /** The newest version that its reader has asked for. */
  requestedVersion: number;
  /** The filters that it opens with. */
  initialFilters: DataMask;
  /** Called with the port of the frame on screen; null once it has failed. */
  onPort: (port: FramePort | null) => void;
  /** Called with the version on screen. */
  onShow: (version: number) => void;
}

export function EmbedFrame({
  code,
  tab,
  title,
  isSelected: chosen,
  version,
  requestedVersion: wanted,
  initialFilters: opensWith,
  onPort,
  onShow,
}: Props) {
  const active = usePageActive() && chosen;
  const port = useRef<FramePort | null>(null);
  const [shown, setShown] = useState<FrameVersion>({ version, address: addFilters(tab.address, opensWith) });
  const [coming, setComing] = useState<FrameVersion | null>(null);
  /** The newest version that failed behind the one on screen. */
  const [missed, setMissed] = useState(version);
  const [answered, setAnswered] = useState(false);
  const [trouble, setTrouble] = useState<FrameFailure | null>(null);
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
    void readFrameFilters(port.current).then(
      (filters) => given && setComing({ version, address: addFilters(tab.address, filters) }),
    );
    return () => {
      given = false;
    };
  }, [active, trouble, coming, version, wanted, shown.version, missed, tab.address]);

  const watching = useRef(() => {});
  const watch = (frame: HTMLIFrameElement, drawn: () => void) => {
    watching.current();
    watching.current = whenRendered(frame, drawn);
  };
  useEffect(() => () => watching.current(), []);

  const attending = useRef(() => {});
  const attend = (frame: HTMLIFrameElement) => {
    attending.current();
    touched.current = false;
    onScreen.current = frame;
    attending.current = whenInteracted(frame, () => (touched.current = true));
  };
  useEffect(() => () => attending.current(), []);

  const answers = (opened: FramePort | null) => {
    port.current = opened;
    onPort(opened);
  };

  const takeOver = (next: FrameVersion, opened: FramePort, frame: HTMLIFrameElement) => {
    if (touched.current && wantedNow.current < next.version) {
      setMissed(next.version);
      setComing(null);
      return;
    }
    copyScroll(frame, onScreen.current);
    attend(frame);
    answers(opened);
    setShown(next);
    setComing(null);
    preloadFrame(tab.address);
  };

  const giveWay = useEffectEvent((filters: DataMask) => {
    watching.current();
    answers(null);
    setAnswered(false);
    setComing(null);
    setShown({ ...shown, address: addFilters(tab.address, filters) });
    setGone(true);
  });

  useEffect(() => {
    if (active || gone || !answered) return;
    let given = true;
    const end = keepHiddenFrame(() => void readFrameFilters(port.current).then((filters) => given && giveWay(filters)));
    return () => {
      given = false;
      end();
    };
  }, [active, gone, answered]);

  if (trouble) {
    const retry = () => {
      setAnswered(false);
      setComing(null);
      setShown({ version, address: addFilters(tab.address, opensWith) });
      setTrouble(null);
    };
    return <FrameRefusal trouble={trouble} onRetry={retry} />;
  }

  const frames = gone ? [] : coming ? [shown, coming] : [shown];
  return (
    <div className={IS_MOBILE ? styles.frameBox : `${styles.frameBox} ${styles.desk}`}>
      {!answered && <Spin className={styles.loading} size="large" description="正在打开报表" />}
      {frames.map((frame) => (
        <LiveFrame
          key={frame.version}
          code={code}
          tabKey={tab.key}
          address={frame.address}
          title={title}
          isBackground={frame === coming}
          active={active}
          onReady={(opened, element) => {
            if (frame === coming) {
              watch(element, () => takeOver(frame, opened, element));
              return;
            }
            attend(element);
            answers(opened);
            setAnswered(true);
            watch(element, () => preloadFrame(tab.address));
          }}
          onFailure={(reason) => {
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

/** Read the filters that the reader has set in the frame. */
function readFrameFilters(port: FramePort | null): Promise<DataMask> {
  return port?.ask<DataMask>('getDataMask', MASK_TIMEOUT).catch(() => ({})) ?? Promise.resolve({});
}

function FrameRefusal({ trouble, onRetry }: { trouble: FrameFailure; onRetry: () => void }) {
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
