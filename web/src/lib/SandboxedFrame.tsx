/**
 * A page given as text, in a frame without an origin: it reaches neither the token nor the server. It is written into
 * an empty page (public/lone.html), since a document given to a frame would be held to the shell's own policy, which
 * names the shell's scripts alone.
 */
import { useEffect, useEffectEvent, useImperativeHandle, useRef, type CSSProperties, type Ref } from 'react';

interface SandboxedFrameProps {
  title: string;
  html: string;
  ref?: Ref<HTMLIFrameElement>;
  className?: string;
  style?: CSSProperties;
}

/** Message that the empty page posts once it has loaded. */
const READY_MESSAGE = 'lone:ready';

export function SandboxedFrame({ title, html, ref, className, style }: SandboxedFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  useImperativeHandle(ref, () => frame.current as HTMLIFrameElement, []);
  const hear = useEffectEvent(({ source, data }: MessageEvent) => {
    const page = frame.current?.contentWindow;
    // Without an origin it can be addressed by no other name.
    if (page && source === page && data === READY_MESSAGE) page.postMessage(html, '*');
  });
  useEffect(() => {
    const listener = (event: MessageEvent) => hear(event);
    window.addEventListener('message', listener);
    return () => window.removeEventListener('message', listener);
  }, []);
  return (
    <iframe ref={frame} title={title} src="/lone.html" sandbox="allow-scripts" className={className} style={style} />
  );
}
