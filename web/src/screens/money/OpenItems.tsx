import { Input, Table, type TableColumnType } from 'antd';
import { BillNumber } from '@/engine/fields/BillNumber';
import { TruncationNotice } from '@/engine/pickers/TruncationNotice';
import { sourceQuery } from '@/engine/queries';
import type { Row } from '@/engine/types';
import { formatMoney } from '@/lib/format';
import { useQuery } from '@/lib/query';
import { filterKeys } from '@/lib/numberEntry';

interface OpenItemsProps {
  api: string;
  company: number;
  customer: number;
  /** Amount settled of each selected item. */
  parts: Map<number, string>;
  onChange: (parts: Map<number, string>) => void;
}

const ITEM_KEY = 'settlement_id';

/** A customer's open items, earliest due first; the selected ones are paid. */
export function OpenItems({ api, company, customer, parts, onChange }: OpenItemsProps) {
  const {
    data: open,
    isFetching,
    error,
  } = useQuery(sourceQuery(`${api}/getOpenItems`, { company_id: company, customer_id: customer }));
  const rows = open?.data ?? [];
  const choose = (keys: number[]) => {
    const amounts = new Map(rows.map((row) => [Number(row[ITEM_KEY]), String(row.open_amount)]));
    onChange(new Map(keys.map((key) => [key, parts.get(key) ?? amounts.get(key) ?? ''])));
  };
  const columns: TableColumnType<Row>[] = [
    { title: '单据号', dataIndex: 'bill_no', width: 190, render: (no: string) => <BillNumber no={no} /> },
    { title: '业务日期', dataIndex: 'business_date', width: 110 },
    { title: '到期日', dataIndex: 'due_date', width: 110 },
    { title: '单据金额', dataIndex: 'amount', align: 'right', width: 120, render: formatMoney },
    { title: '未核销金额', dataIndex: 'open_amount', align: 'right', width: 120, render: formatMoney },
    {
      title: '本次核销',
      width: 130,
      render: (_value, row) => {
        const key = Number(row[ITEM_KEY]);
        return (
          <Input
            className="figure"
            aria-label={`${String(row.bill_no)} 本次核销`}
            disabled={!parts.has(key)}
            value={parts.get(key) ?? ''}
            onChange={(event) => onChange(new Map(parts).set(key, filterKeys(event.target.value, 'signed')))}
          />
        );
      },
    },
  ];
  return (
    <>
      {open?.more && <TruncationNotice count={rows.length} />}
      <Table<Row>
        bordered
        virtual
        size="small"
        rowKey={(row) => Number(row[ITEM_KEY])}
        loading={isFetching}
        columns={columns}
        dataSource={rows}
        locale={{ emptyText: error ? error.message : '没有未核销的单据' }}
        pagination={false}
        scroll={{ x: 820, y: 240 }}
        rowSelection={{
          columnWidth: 40,
          selectedRowKeys: [...parts.keys()],
          onChange: (keys) => choose(keys.map(Number)),
        }}
      />
    </>
  );
}
