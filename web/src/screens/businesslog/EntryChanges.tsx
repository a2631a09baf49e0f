/** Changes of one action, field by field. */
import { Table, Typography } from 'antd';
import type { BusinessLogEntry } from '@/gen';

const EMPTY_VALUE = <Typography.Text type="secondary">空</Typography.Text>;

export function EntryChanges({ entry }: { entry: BusinessLogEntry }) {
  const added = entry.changes.every(({ before }) => before === null);
  return (
    <>
      {entry.reason && <Typography.Paragraph style={{ marginBottom: 4 }}>原因：{entry.reason}</Typography.Paragraph>}
      {entry.changes.length > 0 && (
        <Table<BusinessLogEntry['changes'][number]>
          size="small"
          bordered
          rowKey="field"
          style={{ maxWidth: 960 }}
          pagination={false}
          dataSource={entry.changes}
          columns={[
            { title: '字段', dataIndex: 'label', width: 160 },
            ...(added
              ? []
              : [
                  {
                    title: '修改前',
                    dataIndex: 'before',
                    render: (value: string | null) =>
                      value === null ? (
                        EMPTY_VALUE
                      ) : (
                        <Typography.Text delete={entry.action !== 'del'}>{value}</Typography.Text>
                      ),
                  },
                ]),
            ...(entry.action === 'del'
              ? []
              : [
                  {
                    title: added ? '内容' : '修改后',
                    dataIndex: 'after',
                    render: (value: string | null) => value ?? EMPTY_VALUE,
                  },
                ]),
          ]}
        />
      )}
    </>
  );
}
