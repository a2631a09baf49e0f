/** 导出任务列表: one's exports, newest first; a finished one can be downloaded. */
import { useMutation } from '@tanstack/react-query';
import { Button, Modal, Table, Tag, type TableProps } from 'antd';
import { useState } from 'react';
import type { ExportRow } from '@/gen';
import { reportError } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { exportLogQuery, FINISHED_STATUS, saveExport } from './exportLog';

const FAILED_STATUS = 3;
const EXPIRED_STATUS = 4;
/** Below it, on a phone, the table is moved under the finger, its downloads staying in sight. */
const MIN_WIDTH = 760;

function statusColor(task: ExportRow): string {
  if (task.export_status === FINISHED_STATUS) return 'success';
  if (task.export_status === EXPIRED_STATUS) return 'default';
  return task.export_status === FAILED_STATUS ? 'error' : 'processing';
}

export default function ExportTaskDialog({ onClose }: { onClose: () => void }) {
  const [page, setPage] = useState(1);
  const log = useQuery(exportLogQuery(page));
  const download = useMutation({ mutationFn: saveExport, onError: reportError });

  const columns: TableProps<ExportRow>['columns'] = [
    { title: '文件名', dataIndex: 'file_name', ellipsis: true },
    { title: '导出时间', dataIndex: 'export_time', width: 150 },
    { title: '完成时间', dataIndex: 'export_complete_time', width: 150 },
    { title: '行数', dataIndex: 'rows', width: 80, align: 'right' },
    {
      title: '状态',
      width: 100,
      render: (_, task) => (
        <Tag color={statusColor(task)} title={task.failure ?? undefined}>
          {task.export_status_name}
        </Tag>
      ),
    },
    {
      title: '操作',
      width: 80,
      fixed: 'end',
      render: (_, task) => (
        <Button
          type="link"
          size="small"
          disabled={task.export_status !== FINISHED_STATUS}
          loading={download.isPending && download.variables.export_id === task.export_id}
          onClick={() => download.mutate(task)}
        >
          下载
        </Button>
      ),
    },
  ];

  return (
    <Modal
      open
      title="导出任务"
      width={900}
      onCancel={onClose}
      footer={
        <Button onClick={() => void log.refetch()} loading={log.isFetching}>
          刷新
        </Button>
      }
    >
      <Table
        size="small"
        scroll={{ x: MIN_WIDTH }}
        rowKey="export_id"
        columns={columns}
        dataSource={log.data?.data}
        loading={log.isPending}
        locale={{ emptyText: '还没有导出任务' }}
        pagination={{
          current: page,
          pageSize: log.data?.per_page ?? 10,
          total: log.data?.total ?? 0,
          onChange: setPage,
          showSizeChanger: false,
        }}
      />
    </Modal>
  );
}
