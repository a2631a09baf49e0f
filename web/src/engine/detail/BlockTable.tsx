import { Table, type TableColumnType } from 'antd';
import { useMemo } from 'react';
import { sumDecimals } from '../../lib/decimal';
import { LinkButton } from '../../lib/LinkButton';
import { useElementSize } from '../../lib/useElementSize';
import { ReadOnlyValue } from '../fields/ReadOnlyValue';
import { formatField, isEmptyValue, isRightAligned } from '../fields/fieldValue';
import { detailFields } from '../lines/gridColumns';
import { INDEX_WIDTH } from '../lines/columnLayout';
import { CARD_MAX_WIDTH, RowCards } from '../list/RowCards';
import { shownFields, isRef, type Block, type Field, type Pricing, type Row } from '../types';

/** The column of the bill that a row leads to. */
const BILL_NO_FIELD = 'bill_no';
/** Above this many lines only those in view are drawn. */
const VIRTUAL_MIN_ROWS = 60;
const VIRTUAL_HEIGHT = 420;

interface BlockTableProps {
  block: Block;
  /** Pricing of the record's own lines, if they are priced. */
  pricing?: Pricing | null;
  rows: Row[];
  /** Opens the bill that a row names, where the row knows its route. */
  onOpenBill?: (row: Row) => void;
  /** The list of all rows, for a block that shows only the first ones. */
  all?: { label: string; open: () => void };
}

/** The lines of a stored bill, with sums. */
export function BlockTable({ block, pricing, rows, onOpenBill: lead, all }: BlockTableProps) {
  const fields = useMemo(() => {
    const shown =
      pricing === undefined ? shownFields(block).filter((field) => field.list) : detailFields(block, pricing);
    return shown.filter((field) => !field.optional || hasValue(field, rows));
  }, [block, pricing, rows]);
  const columns = useMemo(() => blockColumns(fields, lead), [fields, lead]);
  const width = fields.reduce((sum, field) => sum + field.width, INDEX_WIDTH);
  const [box, size] = useElementSize<HTMLElement>();
  const cut = Boolean(block.shown && rows.length >= block.shown);
  const virtual = rows.length > VIRTUAL_MIN_ROWS;
  return (
    <section ref={box} className="block-table no-print">
      <h3>
        {block.label}
        <small>
          {cut ? '前' : '共'} {rows.length} 行{' '}
          {cut && all && <LinkButton onClick={all.open}>全部见{all.label}</LinkButton>}
        </small>
      </h3>
      {size.width > 0 && size.width < CARD_MAX_WIDTH ? (
        <RowCards
          fields={fields}
          rows={rows}
          idOf={rowKey}
          title={fields.find(isRef)?.name}
          renderValue={(field, row) => <BlockCell field={field} row={row} onOpenBill={lead} />}
          totals={
            cut
              ? []
              : fields
                  .filter((field) => field.total)
                  .map((field) => ({ label: `${field.label}合计`, text: formatSum(field, rows) }))
          }
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
          scroll={{ x: width, y: virtual ? VIRTUAL_HEIGHT : undefined }}
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

function hasValue(field: Field, rows: Row[]): boolean {
  return rows.some((row) => !isEmptyValue(field, row[field.name]));
}

function blockColumns(fields: Field[], lead: BlockTableProps['onOpenBill']): TableColumnType<Row>[] {
  const index: TableColumnType<Row> = {
    title: '序号',
    width: INDEX_WIDTH,
    align: 'center',
    render: (_value, _row, at) => at + 1,
  };
  return [
    index,
    ...fields.map((field): TableColumnType<Row> => ({
      key: field.name,
      title: field.label,
      width: field.width,
      ellipsis: true,
      align: isRightAligned(field) ? 'right' : undefined,
      onCell: (row) => ({ title: formatField(field, row) }),
      render: (_value, row) => <BlockCell field={field} row={row} onOpenBill={lead} />,
    })),
  ];
}

function BlockCell({
  field,
  row,
  onOpenBill: lead,
}: {
  field: Field;
  row: Row;
  onOpenBill: BlockTableProps['onOpenBill'];
}) {
  if (lead && field.name === BILL_NO_FIELD && row.route)
    return <LinkButton onClick={() => lead(row)}>{formatField(field, row)}</LinkButton>;
  return <ReadOnlyValue field={field} row={row} />;
}

function rowKey(row: Row): number {
  return Number(row.line_id ?? row.line_no ?? row.effect_id);
}

function formatSum(field: Field, rows: Row[]): string {
  return formatField(field, { [field.name]: sumDecimals(rows.map((row) => row[field.name])).toString() });
}

function SumsRow({ fields, rows }: { fields: Field[]; rows: Row[] }) {
  return (
    <Table.Summary.Row className="totals-row">
      <Table.Summary.Cell index={0} align="center">
        合计
      </Table.Summary.Cell>
      {fields.map((field, index) => (
        <Table.Summary.Cell key={field.name} index={index + 1} align="right">
          {field.total && formatSum(field, rows)}
        </Table.Summary.Cell>
      ))}
    </Table.Summary.Row>
  );
}
