import './print.css';
import { Alert, Spin } from 'antd';
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';

export interface PrintHandle {
  /** Prints the pages, once they are there. */
  print: () => void;
}

interface PrintFrameProps {
  ref?: Ref<PrintHandle>;
  html: string | undefined;
  /** Only all pages are printed. */
  isComplete?: boolean;
  loading: boolean;
  error: Error | null;
}

/** Room beside a page, px. */
const PAGE_MARGIN = 32;

/** True to size where there is room, else as wide as the frame; on paper always true to size. */
function fitToFrame(frame: HTMLIFrameElement | null): void {
  const pages = frame?.contentDocument?.querySelectorAll<HTMLElement>('.page') ?? [];
  const widest = Math.max(1, ...[...pages].map((page) => page.offsetWidth));
  const room = (frame?.clientWidth ?? 0) - PAGE_MARGIN;
  if (frame?.contentDocument && room > 0)
    frame.contentDocument.documentElement.style.zoom = String(Math.min(1, room / widest));
}

/** Pages as the server set them, true to size. Nothing in them can run: the frame allows no scripts. */
export function PrintFrame({ ref, html, isComplete: whole = true, loading, error }: PrintFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const drawn = useRef<string>(undefined);
  const awaited = useRef(false);
  const onPagesReady = () => {
    if (!awaited.current || loading || (html !== undefined && drawn.current !== html)) return;
    awaited.current = false;
    const page = whole ? frame.current?.contentWindow : null;
    page?.focus();
    page?.print();
  };
  // What was drawn before may be what was asked for now: no frame loads then.
  useEffect(onPagesReady);
  useImperativeHandle(ref, () => ({
    print: () => {
      awaited.current = true;
      onPagesReady();
    },
  }));
  const onLoad = () => {
    fitToFrame(frame.current);
    drawn.current = html;
    onPagesReady();
  };
  return (
    <div className="paper-frame">
      {error && <Alert type="warning" showIcon title={error.message} />}
      <Spin spinning={loading} description="正在排版">
        <iframe
          ref={frame}
          onLoad={onLoad}
          title="打印预览"
          sandbox="allow-same-origin allow-modals"
          srcDoc={html ?? ''}
        />
      </Spin>
    </div>
  );
}
