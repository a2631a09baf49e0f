import type { TableColumnType } from 'antd';
import { lazy, Suspense } from 'react';
import { ShownValue } from '../fields/ShownValue';
import { fieldText, filesOf, isRightAligned } from '../fields/fieldValue';
import { StatusTag } from '../fields/StatusTag';
import type { Field, Row, Screen } from '../types';
import type { PlannedColumn } from './columnPlan';
import type { ListState } from './listState';
import { INDEX_WIDTH } from './listWidths';

const FileLinks = lazy(() => import('../upload/FileLinks'));

interface ColumnOptions {
  screen: Screen;
  state: ListState;
  planned: PlannedColumn[];
  onResize: (name: string, width: number) => void;
  opens: (row: Row) => boolean;
  onOpen: (row: Row) => void;
}

/** One element where antd's own mark takes seven, in each column of each open list. */
const sortIcon: TableColumnType<Row>['sortIcon'] = ({ sortOrder }) => <span className="sort-mark" data-order={sortOrder} />;

/** The list's table columns: sequence number, then the fields in the user's order. */
export function listColumns({ screen, state, planned, onResize, opens, onOpen }: ColumnOptions): TableColumnType<Row>[] {
  const first = (state.page - 1) * state.perPage + 1;
  const index: TableColumnType<Row> = {
    key: '#',
    title: '序号',
    width: INDEX_WIDTH,
    align: 'center',
    fixed: 'start',
    render: (_value, _row, at) => first + at,
  };
  const fields = planned.map(({ field, width }): TableColumnType<Row> => ({
    key: field.name,
    dataIndex: field.name,
    title: field.label,
    width,
    ellipsis: true,
    align: isRightAligned(field) ? 'right' : undefined,
    sorter: !field.masked,
    sortOrder: state.orderKey === field.name ? (state.orderBy === 'asc' ? 'ascend' : 'descend') : null,
    showSorterTooltip: false,
    sortIcon,
    onHeaderCell: () => ({ columnWidth: width, onResized: (next: number) => onResize(field.name, next) }) as object,
    render: (_value, row) => <ListCell screen={screen} field={field} row={row} opens={opens} onOpen={onOpen} />,
  }));
  return [index, ...fields];
}

interface ListCellProps {
  screen: Screen;
  field: Field;
  row: Row;
  /** Whether a row leads anywhere: what does not is no link. */
  opens: (row: Row) => boolean;
  onOpen: (row: Row) => void;
}

/** What a list shows of a row's field: its state as a tag, files to be opened, the title as what opens the row. */
export function ListCell({ screen, field, row, opens, onOpen }: ListCellProps) {
  if (field.name === screen.status_field) return <StatusTag field={field} row={row} />;
  const text = fieldText(field, row);
  if (field.type === 'image' && filesOf(field, row).length > 0) {
    return (
      <Suspense fallback={text}>
        <FileLinks field={field} row={row} />
      </Suspense>
    );
  }
  if (field.name !== screen.title_field || text === '' || !opens(row)) return <ShownValue field={field} row={row} />;
  return (
    <a
      className="title-link"
      onClick={(event) => {
        event.preventDefault();
        onOpen(row);
      }}
      href={`?id=${row[screen.see_key]}`}
    >
      {text}
    </a>
  );
}
