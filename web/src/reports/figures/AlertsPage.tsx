/** 我的预警: the user's alerts, whether they are within their bounds, and the last notification. */
import { Alert, App, Button, Card, Space, Table, Tag, type TableProps } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { confirmAct } from '@/engine/consequenceDialog';
import type { Alert as FigureAlert, LastNotice } from '@/gen';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { alertsQuery, useAlertCommand, type AlertCommand } from './alerts';

const AlertDialog = lazy(() => import('./AlertDialog'));

export default function AlertsPage() {
  const tabs = useTabs();
  const mine = useQuery(alertsQuery());
  const alerting = useAlertCommand();
  const [changed, setChanged] = useState<FigureAlert | null>(null);

  const columns: TableProps<FigureAlert>['columns'] = [
    {
      title: '报表',
      width: 180,
      render: (_, { url, title }) =>
        url === null ? (
          title
        ) : (
          <Button type="link" size="small" style={{ padding: 0 }} onClick={() => tabs.open(url, title)}>
            {title}
          </Button>
        ),
    },
    { title: '数字', width: 180, render: (_, { figure_label }) => figure_label ?? '（看不到了）' },
    { title: '筛选', width: 120, render: (_, { scheme }) => scheme ?? '报表默认' },
    { title: '范围', dataIndex: 'bounds', width: 200 },
    { title: '方式', dataIndex: 'way_name', width: 90 },
    { title: '状态', width: 180, render: (_, row) => <AlertState of={row} /> },
    {
      title: '最近检查',
      width: 200,
      render: (_, { checked_at, value }) => checked_at && `${value ?? ''}（${checked_at}）`,
    },
    { title: '最近提醒', width: 300, render: (_, { last }) => last && <LastAlertNotice of={last} /> },
    {
      title: '操作',
      width: 180,
      fixed: 'right',
      render: (_, row) => <AlertActions of={row} onCommand={alerting.mutate} onChange={() => setChanged(row)} />,
    },
  ];

  return (
    <Card
      title="我的预警"
      size="small"
      extra={
        <Button size="small" loading={mine.isFetching} onClick={() => void mine.refetch()}>
          刷新
        </Button>
      }
    >
      {mine.error && <Alert type="error" showIcon title={mine.error.message} />}
      <Table<FigureAlert>
        size="small"
        rowKey="alert_id"
        columns={columns}
        dataSource={mine.data?.data}
        loading={mine.isPending}
        pagination={false}
        scroll={{ x: 1630 }}
        locale={{ emptyText: '还没有预警，可在报表上的“预警”中设置' }}
      />
      {changed && (
        <Suspense>
          <AlertDialog
            code={changed.code}
            tab={changed.tab}
            schemeScreen={changed.kept_as}
            alert={changed}
            onClose={() => setChanged(null)}
          />
        </Suspense>
      )}
    </Card>
  );
}

interface ActionsProps {
  of: FigureAlert;
  onCommand: (command: AlertCommand) => void;
  onChange: () => void;
}

function AlertActions({ of: { alert_id, paused, title, figure_label }, onCommand, onChange }: ActionsProps) {
  const { modal } = App.useApp();
  const remove = async () => {
    const about = {
      effect: '不再检查和提醒；已发的提醒保留在消息里',
      undo: '不能恢复，只能重新设置；暂停则可以恢复',
      facts: [{ label: '预警', value: `${title} ${figure_label ?? ''}` }],
    };
    if (await confirmAct(modal, { title: '删除这个预警？', danger: true, about }))
      onCommand({ call: 'del', body: { alert_id }, successMessage: '已删除' });
  };
  return (
    <Space size={4}>
      <Button type="link" size="small" onClick={onChange}>
        修改
      </Button>
      <Button
        type="link"
        size="small"
        onClick={() =>
          onCommand({
            call: 'setPaused',
            body: { alert_id, paused: !paused },
            successMessage: paused ? '已恢复' : '已暂停',
          })
        }
      >
        {paused ? '恢复' : '暂停'}
      </Button>
      <Button type="link" size="small" danger onClick={() => void remove()}>
        删除
      </Button>
    </Space>
  );
}

function AlertState({ of: { paused, pause_reason, out, checked_at } }: { of: FigureAlert }) {
  if (paused) {
    return (
      <>
        <Tag color={pause_reason === null ? 'default' : 'error'}>已暂停</Tag>
        {pause_reason}
      </>
    );
  }
  if (checked_at === null) return <Tag>待检查</Tag>;
  return out ? <Tag color="error">超出范围</Tag> : <Tag color="success">范围之内</Tag>;
}

function LastAlertNotice({ of: { at, words, url, state, failure } }: { of: LastNotice }) {
  const tabs = useTabs();
  return (
    <>
      {at} {state}
      {failure !== null && `：${failure}`}
      <Button
        type="link"
        size="small"
        style={{ height: 'auto', padding: 0, whiteSpace: 'normal', textAlign: 'left' }}
        onClick={() => tabs.open(url, '报表')}
      >
        {words}
      </Button>
    </>
  );
}
