import { Spin, Table, type TableProps } from 'antd';
import type { SorterResult } from 'antd/es/table/interface';
import { memo, useMemo } from 'react';
import { MASK } from '../../lib/decimal';
import { formatMoney, formatNumber, formatPrice, formatQuantity } from '../../lib/format';
import { useElementSize } from '../../lib/useElementSize';
import { recordKey, type Field, type Row, type Screen } from '../types';
import type { ColumnControl } from './columnPlan';
import { ListCell, listColumns } from './listColumns';
import { INDEX_WIDTH, SELECTION_WIDTH } from './listWidths';
import type { ListState } from './listState';
import { ResizableTitle } from './ResizableTitle';
import { CARD_MAX_WIDTH, RowCards } from './RowCards';

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
  /** Returns whether a row can be opened. */
  canOpen: (row: Row) => boolean;
  onOpen: (row: Row) => void;
}

const MIN_HEIGHT = 260;
/** Header, scroll bar and totals row (px) around the scrolled body. */
const TABLE_CHROME_HEIGHT = 46;
const TOTALS_HEIGHT = 33;
const BORDER_WIDTH = 2;
const LOADING_LOCALE = { emptyText: ' ' };
const TABLE_COMPONENTS = { header: { cell: ResizableTitle } };

/** The rows of a list, drawn virtually so that 500 a page stay quick, with totals over the whole filter. */
export function ListTable({ loading, ...shown }: ListTableProps) {
  const [box, size] = useElementSize<HTMLDivElement>();
  return (
    <div ref={box} className="list-table" style={{ minHeight: MIN_HEIGHT }}>
      <Spin spinning={loading} delay={200}>
        {size.width > 0 && size.width < CARD_MAX_WIDTH ? (
          <ListCards {...shown} />
        ) : (
          <ListRows {...shown} width={size.width} height={size.height} isLoading={loading && shown.rows.length === 0} />
        )}
      </Spin>
    </div>
  );
}

/** The rows of a list as cards, on a phone. */
function ListCards({
  screen,
  rows,
  totals,
  control,
  selected,
  failed,
  onSelect,
  canOpen: opens,
  onOpen,
}: Omit<ListTableProps, 'loading'>) {
  const fields = control.columns.filter((column) => column.visible).map(({ field }) => field);
  const summed = totals ? fields.filter((field) => field.total) : [];
  return (
    <RowCards
      fields={fields}
      rows={rows}
      idOf={(row) => recordKey(screen, row)}
      title={screen.title_field}
      status={screen.status_field}
      renderValue={(field, row) => <ListCell screen={screen} field={field} row={row} canOpen={opens} onOpen={onOpen} />}
      canOpen={opens}
      onOpen={onOpen}
      failed={failed}
      selection={{ chosen: selected, onChoose: onSelect }}
      totals={summed.map((field) => ({ label: `${field.label}合计`, text: formatTotal(field, totals!) }))}
    />
  );
}

interface ListRowsProps extends Omit<ListTableProps, 'loading'> {
  width: number;
  height: number;
  isLoading: boolean;
}

/** Drawn anew only when it shows something else: not when its page comes back, nor while its rows are asked for again. */
const ListRows = memo(function Rows(props: ListRowsProps) {
  const {
    screen,
    state,
    rows,
    totals,
    control,
    selected,
    failed,
    onSelect,
    onSort,
    canOpen: opens,
    onOpen,
    width,
    height,
    isLoading: awaited,
  } = props;
  const planned = useMemo(() => control.columns.filter((column) => column.visible), [control.columns]);
  const columns = useMemo(
    () => listColumns({ screen, state, planned, onResize: control.resize, canOpen: opens, onOpen }),
    [screen, state, planned, control.resize, opens, onOpen],
  );
  const whole = planned.reduce((sum, column) => sum + column.width, SELECTION_WIDTH + INDEX_WIDTH);
  const summed = planned.some(({ field }) => field.total);
  const frame = summed ? TABLE_CHROME_HEIGHT + TOTALS_HEIGHT : TABLE_CHROME_HEIGHT;
  const onChange: TableProps<Row>['onChange'] = (_page, _filters, sorter) => {
    const { columnKey, order } = (Array.isArray(sorter) ? sorter[0] : sorter) as SorterResult<Row>;
    if (order) onSort(String(columnKey), order === 'ascend' ? 'asc' : 'desc');
    else onSort(screen.order.key, screen.order.by);
  };
  return (
    <Table<Row>
      virtual
      bordered
      rowKey={(row) => recordKey(screen, row)}
      components={TABLE_COMPONENTS}
      columns={columns}
      dataSource={rows}
      // Rows still on their way are not said to be missing.
      locale={awaited ? LOADING_LOCALE : undefined}
      pagination={false}
      scroll={{ x: Math.max(whole, width - BORDER_WIDTH), y: Math.max(MIN_HEIGHT - frame, height - frame) }}
      onChange={onChange}
      rowClassName={(row) => (failed.has(recordKey(screen, row)) ? 'error-row' : '')}
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

const TOTAL_FORMATS: Partial<Record<string, (value: unknown) => string>> = {
  money: formatMoney,
  price: formatPrice,
  rate: (value) => formatNumber(value, 2),
};

function formatTotal(field: Field, totals: Record<string, string>): string {
  return field.masked && field.total ? MASK : (TOTAL_FORMATS[field.type] ?? formatQuantity)(totals[field.name]);
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
          {formatTotal(field, totals)}
        </Table.Summary.Cell>
      ))}
    </Table.Summary.Row>
  );
}
