import { Tag } from 'antd';
import type { Field, Row } from '../types';
import { formatField } from './fieldValue';

const STATUS_COLORS: Record<string, string> = { 1: 'orange', 2: 'green', 3: 'default', 4: 'blue', 5: 'red' };

/** A bill's status: 未审核, 已审核, 已作废, 已关闭, 已锁定. */
export function StatusTag({ field, row }: { field: Field; row: Row }) {
  const color = STATUS_COLORS[String(row[field.name])] ?? 'default';
  return (
    <Tag color={color} className="status-tag">
      {formatField(field, row)}
    </Tag>
  );
}
