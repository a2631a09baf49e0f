import { memo } from 'react';
import { sumDecimals } from '../../lib/decimal';
import { useStore } from '../../lib/store';
import { isWritable } from '../fields/fieldRules';
import { formatField, isRightAligned } from '../fields/fieldValue';
import { ResizableTitle } from '../list/ResizableTitle';
import type { Field } from '../types';
import { cellClass, type GridColumn } from './GridRow';
import type { LineRow } from './lineModel';
import type { LineStore } from './lineStore';

/** The grid's first row: names of columns, edges to drag. */
export const Heading = memo(function Heading({
  columns,
  onResize,
}: {
  columns: GridColumn[];
  onResize: (name: string, width: number) => void;
}) {
  return (
    <div role="row" aria-rowindex={1} className="grid-row grid-heading">
      <div role="columnheader" aria-colindex={1} className="grid-cell grid-index">
        序号
      </div>
      {columns.map(({ field, width }, col) => (
        <ResizableTitle
          key={field.name}
          as="div"
          role="columnheader"
          aria-colindex={col + 2}
          className={[
            cellClass(field),
            field.required && isWritable(field) ? 'required' : '',
            isRightAligned(field) ? 'figure' : '',
          ].join(' ')}
          style={{ width }}
          columnWidth={width}
          onResized={(next) => onResize(field.name, next)}
        >
          {field.label}
        </ResizableTitle>
      ))}
    </div>
  );
});

/** The grid's last row: sums over all lines. */
export const Sums = memo(function Sums({ columns, lines }: { columns: GridColumn[]; lines: LineRow[] }) {
  const text = (field: Field) => {
    if (!field.total) return '';
    const sum = sumDecimals(lines.map((line) => line.values[field.name]));
    return formatField(field, { [field.name]: sum.toString() });
  };
  return (
    <div role="row" className="grid-row grid-sums" aria-label="合计" aria-rowindex={lines.length + 2}>
      <div role="rowheader" className="grid-cell grid-index">
        合计
      </div>
      {columns.map(({ field, width }) => (
        <div
          key={field.name}
          role="gridcell"
          data-sum={field.name}
          data-label={field.label}
          className={isRightAligned(field) ? 'grid-cell figure' : cellClass(field)}
          style={{ width }}
        >
          {text(field)}
        </div>
      ))}
    </div>
  );
});

/** Total of the lines, visible wherever its column is. */
export function LineTotal({ store, field }: { store: LineStore; field: Field }) {
  const sum = useStore(store, (lines) => sumDecimals(lines.map((line) => line.values[field.name])).toString());
  return (
    <strong className="line-total">
      {field.label}合计 {formatField(field, { [field.name]: sum })}
    </strong>
  );
}
