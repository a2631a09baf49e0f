/** 导出: a report's tab as a workbook of its tables, as a cross table, or on paper; now, or regularly. */
import { DownOutlined, FieldTimeOutlined, FileExcelOutlined, FilePdfOutlined, ExportOutlined, TableOutlined } from '@ant-design/icons';
import { Button, Dropdown, type MenuProps } from 'antd';
import { lazy, Suspense, useState } from 'react';
import type { FrameTab } from '@/gen';
import type { FramePort } from './framePort';
import { useReportExport } from './reportExport';

const PivotDialog = lazy(() => import('./PivotDialog'));
const SubscribeDialog = lazy(() => import('./subscriptions/SubscribeDialog'));

const forms: MenuProps['items'] = [
  { key: 'detail', icon: <FileExcelOutlined />, label: 'Excel 明细' },
  { key: 'pivot', icon: <TableOutlined />, label: 'Excel 透视…' },
  { key: 'pdf', icon: <FilePdfOutlined />, label: 'PDF' },
  { type: 'divider' },
  { key: 'subscribe', icon: <FieldTimeOutlined />, label: '订阅…' },
];

interface Props {
  code: string;
  tab: FrameTab;
  /** The talk with the tab's frame, once it answers. */
  port: () => FramePort | null;
}

export function ExportMenu({ code, tab, port }: Props) {
  const [pivoting, setPivoting] = useState(false);
  const [subscribing, setSubscribing] = useState(false);
  const exporting = useReportExport(code, tab, port);
  const choose = ({ key }: { key: string }) => {
    if (key === 'pivot') setPivoting(true);
    else if (key === 'subscribe') setSubscribing(true);
    else exporting.mutate({ form: key === 'pdf' ? 'pdf' : 'detail' });
  };

  return (
    <>
      <Dropdown menu={{ items: forms, onClick: choose }} trigger={['click']}>
        <Button size="small" icon={<ExportOutlined />} loading={exporting.isPending}>
          导出 <DownOutlined />
        </Button>
      </Dropdown>
      <Suspense>
        {pivoting && (
          <PivotDialog
            code={code}
            tab={tab.key}
            busy={exporting.isPending}
            onClose={() => setPivoting(false)}
            onExport={(choice) =>
              exporting.mutate({ form: 'pivot', ...choice }, { onSuccess: () => setPivoting(false) })
            }
          />
        )}
        {subscribing && <SubscribeDialog code={code} tab={tab.key} onClose={() => setSubscribing(false)} />}
      </Suspense>
    </>
  );
}
