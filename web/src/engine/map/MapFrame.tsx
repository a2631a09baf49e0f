/** The provider's map in a document without an origin: it sees neither the shell nor its storage, and speaks with it by messages alone. */
import { useEffect, useEffectEvent, useRef, type Ref, useImperativeHandle } from 'react';
import { LoneFrame } from '@/lib/LoneFrame';
import { readMessage, type FromMap, type ToMap } from './mapProtocol';

export type Say = (message: ToMap) => void;

interface MapFrameProps {
  html: string;
  say: Ref<Say>;
  onMessage: (message: FromMap) => void;
}

export function MapFrame({ html, say, onMessage }: MapFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  // A page without an origin can be addressed by no other name; its window alone hears it.
  useImperativeHandle(say, () => (message) => frame.current?.contentWindow?.postMessage(message, '*'), []);
  const hear = useEffectEvent(({ source, data }: MessageEvent) => {
    if (source === null || source !== frame.current?.contentWindow) return;
    const message = readMessage(data);
    if (message) onMessage(message);
  });
  useEffect(() => {
    const listener = (event: MessageEvent) => hear(event);
    window.addEventListener('message', listener);
    return () => window.removeEventListener('message', listener);
  }, []);
  return <LoneFrame ref={frame} title="地图" html={html} className="map-canvas" />;
}
