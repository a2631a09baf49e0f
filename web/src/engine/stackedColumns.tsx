import { Flex, Typography, type TableColumnType, type TableProps } from 'antd';
import type { ReactNode } from 'react';
import { useIsPhone } from '../lib/useIsPhone';

type TableColumns<T> = TableColumnType<T>[];

/** A table's columns; on a phone one, in which the cells of a row stand below each other with their titles. */
export function useStackedColumns<T extends object>(columns: TableColumns<T>): TableProps<T>['columns'] {
  const phone = useIsPhone();
  return phone ? [{ render: (_value, row, at) => <StackedRow columns={columns} row={row} at={at} /> }] : columns;
}

function StackedRow<T extends object>({ columns, row, at }: { columns: TableColumns<T>; row: T; at: number }) {
  const cells = columns.map((column) => ({ title: column.title as ReactNode, shown: renderCell(column, row, at) }));
  return (
    <Flex vertical gap={4}>
      {cells.map(({ title, shown }, place) =>
        shown === '' || shown === null || shown === undefined || shown === false ? null : (
          <Flex key={place} gap={8} align="baseline">
            {title && (
              <Typography.Text type="secondary" style={{ flex: '0 0 auto' }}>
                {title}
              </Typography.Text>
            )}
            <div style={{ minWidth: 0 }}>{shown}</div>
          </Flex>
        ),
      )}
    </Flex>
  );
}

function renderCell<T extends object>({ dataIndex, render }: TableColumnType<T>, row: T, at: number): ReactNode {
  const value: unknown = typeof dataIndex === 'string' ? row[dataIndex as keyof T] : undefined;
  return (render ? render(value, row, at) : value) as ReactNode;
}
