import { cleanup, render, screen } from '@testing-library/react';
import { Table, type TableColumnType } from 'antd';
import { afterEach, expect, it, vi } from 'vitest';
import { useStackedColumns } from './stackedColumns';

interface Row {
  label: string;
  count: number;
  advice: string;
}

const columns: TableColumnType<Row>[] = [
  { title: '检查项', dataIndex: 'label', width: 300 },
  { title: '不符', render: (_, { count }) => count || '' },
  { title: '处理建议', dataIndex: 'advice' },
];
const rows: Row[] = [
  { label: '本期单据都已审核或作废', count: 3, advice: '审核或作废' },
  { label: '库存相符', count: 0, advice: '' },
];

function Page() {
  return <Table rowKey="label" columns={useStackedColumns(columns)} dataSource={rows} pagination={false} />;
}

function onWidth(phone: boolean): void {
  vi.stubGlobal('matchMedia', () => ({
    matches: phone,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
    addListener: vi.fn(),
    removeListener: vi.fn(),
  }));
  render(<Page />);
}

afterEach(cleanup);

it('stand beside each other on a screen', () => {
  onWidth(false);
  expect(screen.getAllByRole('columnheader').map((one) => one.textContent)).toEqual(['检查项', '不符', '处理建议']);
});

it('stand below each other on a phone, each with its title, the empty ones left out', () => {
  onWidth(true);
  const [first, second] = [...document.querySelectorAll('tbody tr.ant-table-row')].map((row) =>
    row.querySelectorAll('td'),
  );
  expect([first!.length, second!.length]).toEqual([1, 1]);
  expect(first![0]!.textContent).toBe('检查项本期单据都已审核或作废不符3处理建议审核或作废');
  expect(second![0]!.textContent).toBe('检查项库存相符');
});
