/** Preview of a selected sheet: its first rows and its problems. */
import { Alert, Button, Flex, Table } from 'antd';
import type { Preview } from '@/gen';

/** Maximum number of doubts listed; the rest are counted. */
const MAX_SHOWN_DOUBTS = 5;

interface PreviewPanelProps {
  fileName: string;
  preview: Preview;
  sending: boolean;
  onSend: () => void;
  onCancel: () => void;
}

export function PreviewPanel({ fileName, preview, sending, onSend, onCancel }: PreviewPanelProps) {
  const { columns, rows, total, checked, refused, problems, doubted = 0, doubts = [] } = preview;
  return (
    <Flex vertical gap={8}>
      <Alert
        type={refused > 0 ? 'warning' : 'info'}
        showIcon
        title={`${fileName}：共 ${total} 行，已检查 ${checked} 行${refused > 0 ? `，其中 ${refused} 行有误，上传后会跳过` : ''}`}
        description={problems.slice(0, 3).map((problem) => (
          <div key={`${problem.row}-${problem.field}`}>
            第{problem.row}行 {problem.field}：{problem.msg}
          </div>
        ))}
      />
      {doubted > 0 && (
        <Alert
          type="warning"
          showIcon
          title={`${doubted} 行疑似与已有资料重复，请核对；确定上传则按新资料录入`}
          description={doubts.slice(0, MAX_SHOWN_DOUBTS).map(({ row, msg }) => (
            <div key={row}>
              第{row}行 {msg}
            </div>
          ))}
        />
      )}
      <Table
        size="small"
        rowKey="row"
        pagination={false}
        scroll={{ x: columns.length * 110, y: 180 }}
        dataSource={rows}
        columns={[
          { title: '行', dataIndex: 'row', width: 50 },
          ...columns.map((title, at) => ({
            title,
            width: 110,
            ellipsis: true,
            render: (_: unknown, row: (typeof rows)[number]) => row.cells[at],
          })),
        ]}
      />
      <Flex gap={8} justify="end">
        <Button onClick={onCancel}>取消</Button>
        <Button type="primary" loading={sending} onClick={onSend}>
          确定上传
        </Button>
      </Flex>
    </Flex>
  );
}
