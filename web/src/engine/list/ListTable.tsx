import { Spin, Table, type TableProps } from 'antd';
import type { SorterResult } from 'antd/es/table/interface';
import { memo, useMemo } from 'react';
import { MASK } from '../../lib/decimal';
import { formatMoney, formatNumber, formatPrice, formatQuantity } from '../../lib/format';
import { useElementSize } from '../../lib/useElementSize';
import { keyOf, type Field, type Row, type Screen } from '../types';
import type { ColumnControl } from './columnPlan';
import { ListCell, listColumns } from './listColumns';
import { INDEX_WIDTH, SELECTION_WIDTH } from './listWidths';
import type { ListState } from './listState';
import { ResizableTitle } from './ResizableTitle';
import { CARDS_BELOW, RowCards } from './RowCards';

interface ListTableProps {
  screen: Screen;
  state: ListState;
  rows: Row[];
  totals: Record<string, string> | undefined;
  loading: boolean;
  control: ColumnControl;
  selected: number[];
  failed: Set<number>;
  onSelect: (keys: number[]) => void;
  onSort: (key: string, by: 'asc' | 'desc') => void;
  /** Whether a row leads anywhere. */
  opens: (row: Row) => boolean;
  onOpen: (row: Row) => void;
}

const MIN_HEIGHT = 260;
/** Header, scroll bar and totals row (px) around the scrolled body. */
const FRAME = 46;
const TOTALS = 33;
const BORDERS = 2;
const AWAITED = { emptyText: ' ' };
const components = { header: { cell: ResizableTitle } };

/** The rows of a list, drawn virtually so that 500 a page stay quick, with totals over the whole filter. */
export function ListTable({ loading, ...shown }: ListTableProps) {
  const [box, size] = useElementSize<HTMLDivElement>();
  return (
    <div ref={box} className="list-table" style={{ minHeight: MIN_HEIGHT }}>
      <Spin spinning={loading} delay={200}>
        {size.width > 0 && size.width < CARDS_BELOW ? (
          <Cards {...shown} />
        ) : (
          <Rows {...shown} width={size.width} height={size.height} awaited={loading && shown.rows.length === 0} />
        )}
      </Spin>
    </div>
  );
}

/** The same on a phone. */
function Cards({ screen, rows, totals, control, selected, failed, onSelect, opens, onOpen }: Omit<ListTableProps, 'loading'>) {
  const fields = control.columns.filter((column) => column.visible).map(({ field }) => field);
  const summed = totals ? fields.filter((field) => field.total) : [];
  return (
    <RowCards
      fields={fields}
      rows={rows}
      idOf={(row) => keyOf(screen, row)}
      title={screen.title_field}
      status={screen.status_field}
      show={(field, row) => <ListCell screen={screen} field={field} row={row} opens={opens} onOpen={onOpen} />}
      opens={opens}
      onOpen={onOpen}
      failed={failed}
      choosing={{ chosen: selected, onChoose: onSelect }}
      totals={summed.map((field) => ({ label: `${field.label}合计`, text: totalText(field, totals!) }))}
    />
  );
}

interface RowsProps extends Omit<ListTableProps, 'loading'> {
  width: number;
  height: number;
  awaited: boolean;
}

/** Drawn anew only when it shows something else: not when its page comes back, nor while its rows are asked for again. */
const Rows = memo(function Rows(props: RowsProps) {
  const { screen, state, rows, totals, control, selected, failed, onSelect, onSort, opens, onOpen, width, height, awaited } = props;
  const planned = useMemo(() => control.columns.filter((column) => column.visible), [control.columns]);
  const columns = useMemo(
    () => listColumns({ screen, state, planned, onResize: control.resize, opens, onOpen }),
    [screen, state, planned, control.resize, opens, onOpen],
  );
  const whole = planned.reduce((sum, column) => sum + column.width, SELECTION_WIDTH + INDEX_WIDTH);
  const summed = planned.some(({ field }) => field.total);
  const frame = summed ? FRAME + TOTALS : FRAME;
  const onChange: TableProps<Row>['onChange'] = (_page, _filters, sorter) => {
    const { columnKey, order } = (Array.isArray(sorter) ? sorter[0] : sorter) as SorterResult<Row>;
    if (order) onSort(String(columnKey), order === 'ascend' ? 'asc' : 'desc');
    else onSort(screen.order.key, screen.order.by);
  };
  return (
    <Table<Row>
      virtual
      bordered
      rowKey={(row) => keyOf(screen, row)}
      components={components}
      columns={columns}
      dataSource={rows}
      // Rows still on their way are not said to be missing.
      locale={awaited ? AWAITED : undefined}
      pagination={false}
      scroll={{ x: Math.max(whole, width - BORDERS), y: Math.max(MIN_HEIGHT - frame, height - frame) }}
      onChange={onChange}
      rowClassName={(row) => (failed.has(keyOf(screen, row)) ? 'error-row' : '')}
      rowSelection={{
        columnWidth: SELECTION_WIDTH,
        fixed: true,
        selectedRowKeys: selected,
        onChange: (keys) => onSelect(keys.map(Number)),
      }}
      onRow={(row) => ({ onDoubleClick: () => onOpen(row) })}
      summary={() =>
        totals && summed ? (
          <Table.Summary fixed>
            <TotalsRow planned={planned} totals={totals} uncounted={screen.uncounted} />
          </Table.Summary>
        ) : null
      }
    />
  );
});

const FORMATS: Partial<Record<string, (value: unknown) => string>> = {
  money: formatMoney,
  price: formatPrice,
  rate: (value) => formatNumber(value, 2),
};

function totalText(field: Field, totals: Record<string, string>): string {
  return field.masked && field.total ? MASK : (FORMATS[field.type] ?? formatQuantity)(totals[field.name]);
}

interface TotalsRowProps {
  planned: ColumnControl['columns'];
  totals: Record<string, string>;
  uncounted?: string[];
}

function TotalsRow({ planned, totals, uncounted = [] }: TotalsRowProps) {
  return (
    <Table.Summary.Row className="totals-row">
      <Table.Summary.Cell index={0} colSpan={2} align="center">
        {uncounted.length > 0 ? <span title={`不含${uncounted.join('、')}`}>合计*</span> : '合计'}
      </Table.Summary.Cell>
      {planned.map(({ field }, index) => (
        <Table.Summary.Cell key={field.name} index={index + 2} align="right">
          {totalText(field, totals)}
        </Table.Summary.Cell>
      ))}
    </Table.Summary.Row>
  );
}
