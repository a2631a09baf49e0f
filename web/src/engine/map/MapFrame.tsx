/** The provider's map in a document without an origin: it sees neither the shell nor its storage, and speaks with it by messages alone. */
import { useEffect, useEffectEvent, useRef, type Ref, useImperativeHandle } from 'react';
import { SandboxedFrame } from '@/lib/SandboxedFrame';
import { parseMessage, type MapMessage, type MapCommand } from './mapProtocol';

export type SendToMap = (message: MapCommand) => void;

interface MapFrameProps {
  html: string;
  sendRef: Ref<SendToMap>;
  onMessage: (message: MapMessage) => void;
}

export function MapFrame({ html, sendRef: say, onMessage }: MapFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  // A page without an origin can be addressed by no other name; its window alone hears it.
  useImperativeHandle(say, () => (message) => frame.current?.contentWindow?.postMessage(message, '*'), []);
  const hear = useEffectEvent(({ source, data }: MessageEvent) => {
    if (source === null || source !== frame.current?.contentWindow) return;
    const message = parseMessage(data);
    if (message) onMessage(message);
  });
  useEffect(() => {
    const listener = (event: MessageEvent) => hear(event);
    window.addEventListener('message', listener);
    return () => window.removeEventListener('message', listener);
  }, []);
  return <SandboxedFrame ref={frame} title="地图" html={html} className="map-canvas" />;
}
