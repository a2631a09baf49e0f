/** 导出任务: the entry in the header. */
import { CloudDownloadOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { lazy, Suspense, useState } from 'react';

const ExportTaskDialog = lazy(() => import('./ExportTaskDialog'));

export function ExportTasks() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Tooltip title="导出任务">
        <Button
          type="text"
          size="middle"
          icon={<CloudDownloadOutlined />}
          aria-label="导出任务"
          onClick={() => setOpen(true)}
        />
      </Tooltip>
      {open && (
        <Suspense>
          <ExportTaskDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
