/** 看板版本: the published versions of a board, any of which may be shown again. */
import { Alert, Button, Drawer, Table, Tag, type TableProps } from 'antd';
import type { BoardVersion } from '@/gen';
import { useQuery } from '@/lib/query';
import { boardQuery, useBoardCommand } from './boards';

export default function VersionsDrawer({ boardId, onClose }: { boardId: number; onClose: () => void }) {
  const { data, error } = useQuery(boardQuery(boardId));
  const publishing = useBoardCommand();
  const columns: TableProps<BoardVersion>['columns'] = [
    { title: '版本', dataIndex: 'version', width: 70 },
    { title: '发布时间', dataIndex: 'at', width: 160 },
    { title: '说明', dataIndex: 'note' },
    { title: '核对', render: (_, { problem }) => problem ?? '与报表目录相符' },
    {
      title: '操作',
      width: 100,
      render: (_, { version, shown }) =>
        shown && !data?.withdrawn ? (
          <Tag color="success">在用</Tag>
        ) : (
          <Button
            type="link"
            size="small"
            loading={publishing.isPending}
            onClick={() =>
              publishing.mutate({ call: 'showVersion', body: { board_id: boardId, version }, successMessage: '已换回' })
            }
          >
            换回
          </Button>
        ),
    },
  ];
  return (
    <Drawer open title={`版本：${data?.title ?? ''}`} size={720} onClose={onClose}>
      {error && <Alert type="error" showIcon title={error.message} />}
      <Table<BoardVersion>
        size="small"
        rowKey="version"
        columns={columns}
        dataSource={data?.versions}
        loading={!data && !error}
        pagination={false}
      />
    </Drawer>
  );
}
