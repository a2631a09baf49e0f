import { DeleteOutlined } from '@ant-design/icons';
import { memo, type MouseEvent } from 'react';
import { isMasked } from '../../lib/decimal';
import { formatField, isRightAligned } from '../fields/fieldValue';
import type { Field, Pricing } from '../types';
import { STOCK_COLUMN } from './gridColumns';
import { needsBatch, type LineRow, type Shortage } from './lineModel';
import { buildSourceMark } from './sourceShares';

export interface GridColumn {
  field: Field;
  start: number;
  width: number;
}

interface GridRowProps {
  index: number;
  line: LineRow;
  columns: GridColumn[];
  editable: boolean[];
  /** The active column when the cursor is in this row, else -1. */
  activeColumn: number;
  shortage: Shortage | null;
  pricing: Pricing | null;
  /** The columns that tell of a shortage. */
  shortageColumns: string[];
  top: number;
  onCell: (event: MouseEvent, row: number, col: number) => void;
  onOpen: () => void;
  onRemove: (row: number) => void;
}

/** Goods stay in sight while the figures beside them are keyed in. */
export function cellClass(field: Field): string {
  return field.ref?.resource === 'goods' ? 'grid-cell grid-goods' : 'grid-cell';
}

const SHORTAGE_HINTS: Record<Shortage, { hint: string; mark: string }> = {
  available: { hint: '数量超过可用库存；可以保存，审核时会再核对', mark: '不足' },
  safety: { hint: '余下的库存低于该仓库的安全库存；可以保存，审核时会再核对', mark: '偏低' },
};

/** One line; drawn anew only when it or the cursor in it changes. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const {
    index,
    line,
    columns,
    editable,
    activeColumn,
    shortage,
    pricing,
    shortageColumns: hinted,
    top,
    onCell,
    onOpen,
    onRemove,
  } = props;
  const whole = line.problems['#'];
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={whole ? 'grid-row error-row' : 'grid-row'}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="rowheader" aria-colindex={1} className="grid-cell grid-index" title={whole}>
        <span className="row-number">{index + 1}</span>
        <button
          type="button"
          tabIndex={-1}
          className="row-remove"
          aria-label={`删除第${index + 1}行`}
          onClick={() => onRemove(index)}
        >
          <DeleteOutlined />
        </button>
      </div>
      {columns.map(({ field, width }, col) => {
        const problem = line.problems[field.name];
        const text = formatField(field, line.values);
        const names = [cellClass(field)];
        if (isRightAligned(field)) names.push('figure');
        if (!editable[col]) names.push('readonly');
        if (problem) names.push('invalid');
        const short = shortage && hinted.includes(field.name) ? SHORTAGE_HINTS[shortage] : undefined;
        if (short) names.push('short');
        const source = buildSourceMark(line.values, field, pricing);
        if (source) names.push(source.className);
        if (col === activeColumn) names.push('active');
        if (isMasked(text)) names.push('masked');
        return (
          <div
            key={field.name}
            role="gridcell"
            aria-colindex={col + 2}
            aria-readonly={!editable[col]}
            aria-required={needsBatch(field, line.values) || undefined}
            aria-invalid={problem ? true : undefined}
            aria-selected={col === activeColumn}
            data-field={field.name}
            data-label={field.label}
            className={names.join(' ')}
            style={{ width }}
            title={problem ?? short?.hint ?? source?.hint ?? text}
            onMouseDown={(event) => onCell(event, index, col)}
            onDoubleClick={onOpen}
          >
            {text}
            {short && field.name === STOCK_COLUMN.name && <span className="stock-hint">{short.mark}</span>}
          </div>
        );
      })}
    </div>
  );
});
