/** 我的订阅: the user's subscriptions, the result of the last run, and why one has stopped. */
import { useMutation } from '@tanstack/react-query';
import { Alert, App, Button, Card, Space, Table, Tag, type TableProps } from 'antd';
import { lazy, Suspense, useState } from 'react';
import type { LastRun, Subscription } from '@/gen';
import { confirmAct } from '@/engine/consequenceDialog';
import { api } from '@/lib/api';
import { reportError } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { saveFile } from '@/lib/saveFile';
import { useTabs } from '@/lib/tabs';
import { subscriptionsQuery, useSubscriptionCommand, type SubscriptionCommand } from './subscriptions';

const SubscribeDialog = lazy(() => import('./SubscribeDialog'));
const POLL_INTERVAL = 3_000;

export default function SubscriptionsPage() {
  const tabs = useTabs();
  const mine = useQuery({
    ...subscriptionsQuery(),
    refetchInterval: ({ state }) => (state.data?.data.some(({ last }) => last?.waiting) ? POLL_INTERVAL : false),
  });
  const subscribing = useSubscriptionCommand();
  const [changed, setChanged] = useState<Subscription | null>(null);

  const columns: TableProps<Subscription>['columns'] = [
    {
      title: '报表',
      width: 200,
      render: (_, { route, title }) =>
        route === null ? (
          title
        ) : (
          <Button type="link" size="small" style={{ padding: 0 }} onClick={() => tabs.open(route, title)}>
            {title}
          </Button>
        ),
    },
    { title: '筛选', width: 120, render: (_, { scheme }) => scheme ?? '报表默认' },
    { title: '时间', dataIndex: 'schedule', width: 130 },
    { title: '文件', dataIndex: 'form_name', width: 100 },
    { title: '方式', dataIndex: 'way_name', width: 90 },
    { title: '状态', width: 200, render: (_, row) => <SubscriptionState of={row} /> },
    { title: '下次运行', dataIndex: 'next_at', width: 160 },
    { title: '最近一次', width: 260, render: (_, { last }) => last && <LastRunStatus of={last} /> },
    {
      title: '操作',
      width: 250,
      fixed: 'right',
      render: (_, row) => (
        <SubscriptionActions of={row} onCommand={subscribing.mutate} onChange={() => setChanged(row)} />
      ),
    },
  ];

  return (
    <Card
      title="我的订阅"
      size="small"
      extra={
        <Button size="small" loading={mine.isFetching} onClick={() => void mine.refetch()}>
          刷新
        </Button>
      }
    >
      {mine.error && <Alert type="error" showIcon title={mine.error.message} />}
      <Table<Subscription>
        size="small"
        rowKey="subscription_id"
        columns={columns}
        dataSource={mine.data?.data}
        loading={mine.isPending}
        pagination={false}
        scroll={{ x: 1510 }}
        locale={{ emptyText: '还没有订阅，可在报表的“导出”菜单中订阅' }}
      />
      {changed && (
        <Suspense>
          <SubscribeDialog
            code={changed.code}
            tab={changed.tab}
            schemeScreen={changed.kept_as}
            subscription={changed}
            onClose={() => setChanged(null)}
          />
        </Suspense>
      )}
    </Card>
  );
}

interface ActionsProps {
  of: Subscription;
  onCommand: (command: SubscriptionCommand) => void;
  onChange: () => void;
}

function SubscriptionActions({ of: { subscription_id, paused, title }, onCommand, onChange }: ActionsProps) {
  const { modal } = App.useApp();
  const remove = async () => {
    const about = {
      effect: '不再按时生成和发送；已生成的文件保留',
      undo: '不能恢复，只能重新订阅；暂停则可以恢复',
      facts: [{ label: '订阅', value: title }],
    };
    if (await confirmAct(modal, { title: '删除这个订阅？', danger: true, about }))
      onCommand({ call: 'del', body: { subscription_id }, successMessage: '已删除' });
  };
  return (
    <Space size={4}>
      <Button
        type="link"
        size="small"
        disabled={paused}
        onClick={() =>
          onCommand({ call: 'run', body: { subscription_id }, successMessage: '已开始，完成后按订阅的方式发送' })
        }
      >
        立即运行
      </Button>
      <Button type="link" size="small" onClick={onChange}>
        修改
      </Button>
      <Button
        type="link"
        size="small"
        onClick={() =>
          onCommand({
            call: 'setPaused',
            body: { subscription_id, paused: !paused },
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

function SubscriptionState({ of: { paused, pause_reason } }: { of: Subscription }) {
  if (!paused) return <Tag color="success">启用</Tag>;
  return (
    <>
      <Tag color={pause_reason === null ? 'default' : 'error'}>已暂停</Tag>
      {pause_reason}
    </>
  );
}

function LastRunStatus({ of: { at, state, rows, failure, export_id, file_name } }: { of: LastRun }) {
  const download = useMutation({
    mutationFn: async (id: number) =>
      saveFile(await api.download('v2/open/ExportLog/download', { export_id: id }), file_name),
    onError: reportError,
  });
  return (
    <>
      {at} {state}
      {rows !== null && `，${rows} 行`}
      {failure !== null && `：${failure}`}
      {export_id !== null && (
        <Button type="link" size="small" loading={download.isPending} onClick={() => download.mutate(export_id)}>
          下载
        </Button>
      )}
    </>
  );
}
