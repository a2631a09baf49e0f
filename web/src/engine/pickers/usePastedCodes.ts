import { useEffect, useRef } from 'react';
import { reportError, showFailures, showMessage } from '../../lib/errors';
import { parsePastedCodes, type PastedCode } from './pastedCodes';

/** Handle a paste anywhere on the page while a picker is open; `choose` returns the codes that it did not find. */
export function usePastedCodes(choose: (rows: PastedCode[]) => string[] | Promise<string[]>): void {
  const latest = useRef(choose);
  useEffect(() => {
    latest.current = choose;
  });
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const rows = parsePastedCodes(event.clipboardData?.getData('text/plain') ?? '');
      if (rows.length === 0) return;
      event.preventDefault();
      void Promise.resolve(latest.current(rows))
        .then((missing) => showPasteResult(rows.length, missing))
        .catch(reportError);
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, []);
}

function showPasteResult(total: number, missing: string[]): void {
  const taken = total - missing.length;
  if (missing.length === 0) showMessage('success', `已选中${taken}个编码`);
  else
    showFailures(
      `已选中${taken}个编码，${missing.length}个未找到`,
      missing.map((serial, at) => ({ index: at + 1, serial, msg: '未找到' })),
      taken,
    );
}
