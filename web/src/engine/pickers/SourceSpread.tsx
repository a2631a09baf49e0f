import { Button, Space } from 'antd';
import { decimalOrZero, sumOf } from '../../lib/decimal';
import { formatMoney } from '../../lib/format';
import type { BillContext } from '../lines/billContext';
import type { LineRow } from '../lines/lineModel';
import type { BlockSource } from '../types';
import { allocate, offset, sides, type OpenAmount } from './allocate';

/** How much of each row of a source is taken. */
export type Parts = Map<string, string>;

interface SourceSpreadProps {
  source: BlockSource;
  context: BillContext;
  taken: LineRow[];
  items: OpenAmount<string>[];
  parts: Parts;
  onSpread: (parts: Parts) => void;
}

/** Takes many rows of a source at once, and says what is taken so far. */
export function SourceSpread({ source, context, taken, items, parts, onSpread }: SourceSpreadProps) {
  if (source.drawn) {
    return (
      <Space className="picker-search">
        <Button onClick={() => onSpread(new Map(items.map((item) => [item.key, item.open])))}>全部选择</Button>
        <span>
          已选 {parts.size} 行，合计 {sumOf(parts.values()).toString()}
        </span>
      </Space>
    );
  }
  if (!context.paid) {
    const chosen = sides(parts.values());
    return (
      <Space className="picker-search">
        <Button onClick={() => onSpread(offset(items))}>自动冲抵（先到期先核销）</Button>
        <span>
          已选往来 {formatMoney(chosen.owed.toString())}，预款 {formatMoney(chosen.advanced.toString())}
        </span>
      </Space>
    );
  }
  const held = sumOf(taken.map((line) => line.values[source.takes]));
  const given = decimalOrZero(context.header()[source.takes]).minus(decimalOrZero(held.toString()));
  return (
    <Space className="picker-search">
      <Button disabled={given.lte(0)} onClick={() => onSpread(allocate(items, given.toString()))}>
        按金额自动分配（先到期先核销）
      </Button>
      <Button onClick={() => onSpread(allocate(items, ''))}>全部核销</Button>
      <span>
        可核销 {formatMoney(given.toString())}，已选 {formatMoney(sumOf(parts.values()).toString())}
      </span>
    </Space>
  );
}
