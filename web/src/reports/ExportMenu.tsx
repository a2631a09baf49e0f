/** 导出: a report's tab, or a report that is a list, as a workbook of its tables, as a cross table, or on paper; now, or regularly. */
import {
  DownOutlined,
  FieldTimeOutlined,
  FileExcelOutlined,
  FilePdfOutlined,
  ExportOutlined,
  TableOutlined,
} from '@ant-design/icons';
import { Button, Dropdown, type MenuProps } from 'antd';
import { lazy, Suspense, useState } from 'react';
import type { FilterValues } from './frameFilters';
import { useReportExport } from './reportExport';

const PivotDialog = lazy(() => import('./PivotDialog'));
const SubscribeDialog = lazy(() => import('./subscriptions/SubscribeDialog'));

const EXPORT_FORMS: MenuProps['items'] = [
  { key: 'detail', icon: <FileExcelOutlined />, label: 'Excel 明细' },
  { key: 'pivot', icon: <TableOutlined />, label: 'Excel 透视…' },
  { key: 'pdf', icon: <FilePdfOutlined />, label: 'PDF' },
  { type: 'divider' },
  { key: 'subscribe', icon: <FieldTimeOutlined />, label: '订阅…' },
];

interface Props {
  code: string;
  tab: string;
  /** Filters on screen, if they are known. */
  filters: () => FilterValues | Promise<FilterValues>;
  /** Screen under which the user's filters are stored. */
  schemeScreen: string;
  /** Grouping of a list. */
  grouping?: string;
  size?: 'small';
  /** Drawn as an outline, on a dark ground. */
  ghost?: boolean;
}

export function ExportMenu({ code, tab, filters, schemeScreen: keptAs, grouping, size, ghost }: Props) {
  const [pivoting, setPivoting] = useState(false);
  const [subscribing, setSubscribing] = useState(false);
  const exporting = useReportExport(code, tab, filters);
  const choose = ({ key }: { key: string }) => {
    if (key === 'pivot') setPivoting(true);
    else if (key === 'subscribe') setSubscribing(true);
    else exporting.mutate({ form: key === 'pdf' ? 'pdf' : 'detail' });
  };

  return (
    <>
      <Dropdown menu={{ items: EXPORT_FORMS, onClick: choose }} trigger={['click']}>
        <Button size={size} ghost={ghost} icon={<ExportOutlined />} loading={exporting.isPending}>
          导出 <DownOutlined />
        </Button>
      </Dropdown>
      <Suspense>
        {pivoting && (
          <PivotDialog
            code={code}
            tab={tab}
            grouping={grouping}
            busy={exporting.isPending}
            onClose={() => setPivoting(false)}
            onExport={(choice) =>
              exporting.mutate({ form: 'pivot', ...choice }, { onSuccess: () => setPivoting(false) })
            }
          />
        )}
        {subscribing && (
          <SubscribeDialog code={code} tab={tab} schemeScreen={keptAs} onClose={() => setSubscribing(false)} />
        )}
      </Suspense>
    </>
  );
}
