import type { TableColumnType } from 'antd';
import { lazy, Suspense } from 'react';
import { ReadOnlyValue } from '../fields/ReadOnlyValue';
import { formatField, parseFiles, isRightAligned } from '../fields/fieldValue';
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
  canOpen: (row: Row) => boolean;
  onOpen: (row: Row) => void;
}

/** One element where antd's own mark takes seven, in each column of each open list. */
const sortIcon: TableColumnType<Row>['sortIcon'] = ({ sortOrder }) => (
  <span className="sort-mark" data-order={sortOrder} />
);

/** The list's table columns: sequence number, then the fields in the user's order. */
export function listColumns({
  screen,
  state,
  planned,
  onResize,
  canOpen: opens,
  onOpen,
}: ColumnOptions): TableColumnType<Row>[] {
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
    render: (_value, row) => <ListCell screen={screen} field={field} row={row} canOpen={opens} onOpen={onOpen} />,
  }));
  return [index, ...fields];
}

interface ListCellProps {
  screen: Screen;
  field: Field;
  row: Row;
  /** Returns whether a row can be opened; otherwise its title is no link. */
  canOpen: (row: Row) => boolean;
  onOpen: (row: Row) => void;
}

/** Cell of a list: a status as a tag, files as links, the title as the link that opens the row. */
export function ListCell({ screen, field, row, canOpen: opens, onOpen }: ListCellProps) {
  if (field.name === screen.status_field) return <StatusTag field={field} row={row} />;
  const text = formatField(field, row);
  if (field.type === 'image' && parseFiles(field, row).length > 0) {
    return (
      <Suspense fallback={text}>
        <FileLinks field={field} row={row} />
      </Suspense>
    );
  }
  if (field.name !== screen.title_field || text === '' || !opens(row)) return <ReadOnlyValue field={field} row={row} />;
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
