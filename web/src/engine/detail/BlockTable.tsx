import { Table, type TableColumnType } from 'antd';
import { useMemo } from 'react';
import { sumOf } from '../../lib/decimal';
import { LinkButton } from '../../lib/LinkButton';
import { useElementSize } from '../../lib/useElementSize';
import { ShownValue } from '../fields/ShownValue';
import { fieldText, isEmptyValue, isRightAligned } from '../fields/fieldValue';
import { readFields } from '../lines/gridColumns';
import { INDEX_WIDTH } from '../lines/inSight';
import { CARDS_BELOW, RowCards } from '../list/RowCards';
import { columnsOf, isRef, type Block, type Field, type Pricing, type Row } from '../types';

/** The column of the bill that a row leads to. */
const BILL_NO = 'bill_no';
/** Above this many lines only those in view are drawn. */
const VIRTUAL_FROM = 60;
const HEIGHT = 420;

interface BlockTableProps {
  block: Block;
  /** How a record's own lines are priced, if they are. */
  pricing?: Pricing | null;
  rows: Row[];
  /** Opens the bill that a row names, where the row knows its route. */
  lead?: (row: Row) => void;
  /** Where all rows are listed, of a block that shows but the first. */
  all?: { label: string; open: () => void };
}

/** The lines of a stored bill, with sums. */
export function BlockTable({ block, pricing, rows, lead, all }: BlockTableProps) {
  const fields = useMemo(() => {
    const shown = pricing === undefined ? columnsOf(block).filter((field) => field.list) : readFields(block, pricing);
    return shown.filter((field) => !field.optional || isUsed(field, rows));
  }, [block, pricing, rows]);
  const columns = useMemo(() => blockColumns(fields, lead), [fields, lead]);
  const width = fields.reduce((sum, field) => sum + field.width, INDEX_WIDTH);
  const [box, size] = useElementSize<HTMLElement>();
  const cut = Boolean(block.shown && rows.length >= block.shown);
  const virtual = rows.length > VIRTUAL_FROM;
  return (
    <section ref={box} className="block-table no-print">
      <h3>
        {block.label}
        <small>
          {cut ? '前' : '共'} {rows.length} 行 {cut && all && <LinkButton onClick={all.open}>全部见{all.label}</LinkButton>}
        </small>
      </h3>
      {size.width > 0 && size.width < CARDS_BELOW ? (
        <RowCards
          fields={fields}
          rows={rows}
          idOf={rowKey}
          title={fields.find(isRef)?.name}
          show={(field, row) => <BlockCell field={field} row={row} lead={lead} />}
          totals={cut ? [] : fields.filter((field) => field.total).map((field) => ({ label: `${field.label}合计`, text: sumText(field, rows) }))}
        />
      ) : (
      <Table<Row>
        bordered
        size="small"
        virtual={virtual}
        rowKey={rowKey}
        columns={columns}
        dataSource={rows}
        pagination={false}
        scroll={{ x: width, y: virtual ? HEIGHT : undefined }}
        summary={() =>
          !cut && (
            <Table.Summary fixed>
              <SumsRow fields={fields} rows={rows} />
            </Table.Summary>
          )
        }
      />
      )}
    </section>
  );
}

function isUsed(field: Field, rows: Row[]): boolean {
  return rows.some((row) => !isEmptyValue(field, row[field.name]));
}

function blockColumns(fields: Field[], lead: BlockTableProps['lead']): TableColumnType<Row>[] {
  const index: TableColumnType<Row> = { title: '序号', width: INDEX_WIDTH, align: 'center', render: (_value, _row, at) => at + 1 };
  return [
    index,
    ...fields.map((field): TableColumnType<Row> => ({
      key: field.name,
      title: field.label,
      width: field.width,
      ellipsis: true,
      align: isRightAligned(field) ? 'right' : undefined,
      onCell: (row) => ({ title: fieldText(field, row) }),
      render: (_value, row) => <BlockCell field={field} row={row} lead={lead} />,
    })),
  ];
}

function BlockCell({ field, row, lead }: { field: Field; row: Row; lead: BlockTableProps['lead'] }) {
  if (lead && field.name === BILL_NO && row.route) return <LinkButton onClick={() => lead(row)}>{fieldText(field, row)}</LinkButton>;
  return <ShownValue field={field} row={row} />;
}

function rowKey(row: Row): number {
  return Number(row.line_id ?? row.line_no ?? row.effect_id);
}

function sumText(field: Field, rows: Row[]): string {
  return fieldText(field, { [field.name]: sumOf(rows.map((row) => row[field.name])).toString() });
}

function SumsRow({ fields, rows }: { fields: Field[]; rows: Row[] }) {
  return (
    <Table.Summary.Row className="totals-row">
      <Table.Summary.Cell index={0} align="center">
        合计
      </Table.Summary.Cell>
      {fields.map((field, index) => (
        <Table.Summary.Cell key={field.name} index={index + 1} align="right">
          {field.total && sumText(field, rows)}
        </Table.Summary.Cell>
      ))}
    </Table.Summary.Row>
  );
}
