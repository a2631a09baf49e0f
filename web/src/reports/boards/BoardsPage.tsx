/** 看板: boards published to the user's role; an analyst publishes, restores versions of, and withdraws his own. */
import { Alert, App, Button, Card, Space, Table, type TableProps } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { confirmAct } from '@/engine/consequenceDialog';
import { findAction, type Screen } from '@/engine/types';
import type { SharedDashboardRow } from '@/gen';
import { useQuery } from '@/lib/query';
import { boardsQuery, useOpenBoard, useBoardCommand } from './boards';

const PublishDialog = lazy(() => import('./PublishDialog'));
const VersionsDrawer = lazy(() => import('./VersionsDrawer'));
const OWN = '是';

export default function BoardsPage({ screen }: { screen: Screen }) {
  const { modal } = App.useApp();
  const boards = useQuery(boardsQuery());
  const publishing = useBoardCommand();
  const open = useOpenBoard();
  const [publishes, setPublishes] = useState(false);
  const [versions, setVersions] = useState<number | null>(null);
  const may = findAction(screen, 'publish') !== undefined;

  const withdraw = async ({ board_id, board_title }: SharedDashboardRow) => {
    const about = {
      effect: '发布给的角色不再看到它；各版本保留',
      undo: '在“版本”中换回任一版本就恢复',
      facts: [{ label: '看板', value: board_title ?? '' }],
    };
    if (await confirmAct(modal, { title: '撤回这张看板？', danger: true, about })) {
      publishing.mutate({ call: 'withdraw', body: { board_id }, successMessage: '已撤回' });
    }
  };
  const columns: TableProps<SharedDashboardRow>['columns'] = [
    { title: '看板', dataIndex: 'board_title', width: 220 },
    { title: '作者', dataIndex: 'board_author', width: 100 },
    { title: '版本', dataIndex: 'board_version', width: 70 },
    { title: '发布时间', dataIndex: 'published_at', width: 160 },
    { title: '说明', dataIndex: 'publish_note', width: 240 },
    { title: '发布给', dataIndex: 'role_names', width: 220 },
    { title: '状态', dataIndex: 'board_state', width: 240 },
    {
      title: '操作',
      width: 180,
      fixed: 'right',
      render: (_, row) => (
        <Space size={4}>
          <Button type="link" size="small" onClick={() => open(row.board_id)}>
            打开
          </Button>
          {may && row.is_own === OWN && (
            <>
              <Button type="link" size="small" onClick={() => setVersions(row.board_id)}>
                版本
              </Button>
              <Button type="link" size="small" danger onClick={() => void withdraw(row)}>
                撤回
              </Button>
            </>
          )}
        </Space>
      ),
    },
  ];

  return (
    <Card
      title="看板"
      size="small"
      extra={
        <Space>
          {may && (
            <Button type="primary" size="small" onClick={() => setPublishes(true)}>
              发布看板
            </Button>
          )}
          <Button size="small" loading={boards.isFetching} onClick={() => void boards.refetch()}>
            刷新
          </Button>
        </Space>
      }
    >
      {boards.error && <Alert type="error" showIcon title={boards.error.message} />}
      <Table<SharedDashboardRow>
        size="small"
        rowKey="board_id"
        columns={columns}
        dataSource={boards.data?.data}
        loading={boards.isPending}
        pagination={false}
        scroll={{ x: 1430 }}
        locale={{ emptyText: '还没有发布给您的看板' }}
      />
      <Suspense>
        {publishes && <PublishDialog onClose={() => setPublishes(false)} />}
        {versions !== null && <VersionsDrawer boardId={versions} onClose={() => setVersions(null)} />}
      </Suspense>
    </Card>
  );
}
