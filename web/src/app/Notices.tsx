/** Draws what calls report: messages, and the global error dialog with its table of failures. */
import { App } from 'antd';
import { lazy, Suspense, useEffect, useState } from 'react';
import { onReportedError, type ReportedError } from '@/lib/errors';

const FailureDialog = lazy(() => import('./FailureDialog'));

export function Notices() {
  const { message } = App.useApp();
  const [failed, setFailed] = useState<ReportedError | null>(null);

  useEffect(
    () =>
      onReportedError((notice) => {
        if (notice.failures.length > 0) {
          setFailed(notice);
          return;
        }
        if (notice.level === 'error') message.destroy();
        void message.open({ type: notice.level, content: notice.msg, duration: notice.seconds });
      }),
    [message],
  );

  if (failed === null) return null;
  return (
    <Suspense>
      <FailureDialog error={failed} onClose={() => setFailed(null)} />
    </Suspense>
  );
}
