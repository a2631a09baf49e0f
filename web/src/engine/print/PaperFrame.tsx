import './print.css';
import { Alert, Spin } from 'antd';
import { useImperativeHandle, useRef, type Ref } from 'react';

export interface PaperHandle {
  print: () => void;
}

interface PaperFrameProps {
  ref?: Ref<PaperHandle>;
  html: string | undefined;
  loading: boolean;
  error: Error | null;
}

/** Room beside a page, px. */
const BESIDE = 32;

/** True to size where there is room, else as wide as the frame; on paper always true to size. */
function fit(frame: HTMLIFrameElement | null): void {
  const pages = frame?.contentDocument?.querySelectorAll<HTMLElement>('.page') ?? [];
  const widest = Math.max(1, ...[...pages].map((page) => page.offsetWidth));
  const room = (frame?.clientWidth ?? 0) - BESIDE;
  if (frame?.contentDocument && room > 0) frame.contentDocument.documentElement.style.zoom = String(Math.min(1, room / widest));
}

/** Pages as the server set them, true to size. Nothing in them can run: the frame allows no scripts. */
export function PaperFrame({ ref, html, loading, error }: PaperFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  useImperativeHandle(ref, () => ({
    print: () => {
      const page = frame.current?.contentWindow;
      page?.focus();
      page?.print();
    },
  }));
  return (
    <div className="paper-frame">
      {error && <Alert type="warning" showIcon title={error.message} />}
      <Spin spinning={loading} description="正在排版">
        <iframe ref={frame} onLoad={() => fit(frame.current)} title="打印预览" sandbox="allow-same-origin allow-modals" srcDoc={html ?? ''} />
      </Spin>
    </div>
  );
}
