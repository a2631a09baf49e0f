import { Input, Modal, Table, type TableColumnType } from 'antd';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { decimalOrZero, isBlankOrZero, sumDecimals } from '../../lib/decimal';
import { showMessage } from '../../lib/errors';
import { MONEY_DECIMALS, QUANTITY_DECIMALS } from '../../lib/pricing';
import { useQuery } from '../../lib/query';
import { filterKeys } from '../../lib/numberEntry';
import { useRestoreFocus } from '../../lib/useRestoreFocus';
import { ReadOnlyValue } from '../fields/ReadOnlyValue';
import { isEmptyValue, isRightAligned } from '../fields/fieldValue';
import type { BillContext } from '../lines/billContext';
import { isImeKey } from '../lines/gridState';
import { newLine, type LineRow } from '../lines/lineModel';
import { sourceQuery } from '../queries';
import { shownFields, type Block, type Field, type Row } from '../types';
import { allocate } from './allocate';
import { TruncationNotice } from './TruncationNotice';
import { SourceSpread, type TakenParts } from './SourceSpread';
import { usePastedCodes } from './usePastedCodes';

interface SourcePickerProps {
  block: Block;
  source: NonNullable<Block['source']>;
  context: BillContext;
  taken: LineRow[];
  onPick: (lines: LineRow[]) => void;
  onClose: () => void;
}

/** By what a row may be named in a paste. */
const NAMING_FIELDS = ['bill_no', 'source_no', 'goods_num'];

/**
 * Dialog of a source's rows for the bill's header: select some, or spread the bill's amount over them, oldest first.
 */
export default function SourcePicker({ block, source, context, taken, onPick, onClose }: SourcePickerProps) {
  useRestoreFocus();
  const header = context.header();
  const query = Object.fromEntries(source.by.map((name) => [name, Number(header[name])]));
  const { data, isFetching, error } = useQuery(sourceQuery(source.api, query));
  const keys = useMemo(() => block.fields.filter((field) => field.hidden), [block]);
  const rows = useMemo(() => {
    const offered = data?.data ?? [];
    if (source.drawn) return offered.flatMap((row) => listUntakenRows(row, { keys, taken, takes: source.takes }));
    const takenKeys = new Set(taken.map((line) => buildSourceKey(keys, line.values)));
    return offered.filter((row) => !takenKeys.has(buildSourceKey(keys, row)));
  }, [data, taken, keys, source]);
  const part = block.fields.find((field) => field.name === source.takes);
  const decimals = part?.type === 'quantity' ? QUANTITY_DECIMALS : MONEY_DECIMALS;
  const [parts, setParts] = useState<TakenParts>(new Map());

  const items = rows.map((row) => ({
    key: buildSourceKey(keys, row),
    open: String(row[`open_${source.takes}`]),
    name: String(row.bill_no ?? row.source_no ?? ''),
  }));
  const begun = useRef(false);
  const type = (key: string, typed: string) =>
    setParts((before) => {
      const after = new Map(before).set(key, typed);
      if (!typed) after.delete(key);
      return after;
    });
  const choose = (chosen: string[]) => {
    const open = new Map(items.map((item) => [item.key, item.open]));
    setParts((before) => new Map(chosen.map((one) => [one, before.get(one) ?? open.get(one) ?? ''])));
  };
  usePastedCodes((codes) => {
    const missing: string[] = [];
    for (const { code, quantity } of codes) {
      const named = items.filter((_item, at) => NAMING_FIELDS.some((name) => rows[at]![name] === code));
      if (named.length === 0) missing.push(code);
      const chosen = quantity
        ? allocate(named, quantity, decimals)
        : named.map(({ key, open }): [string, string] => [key, open]);
      setParts((before) => new Map([...before, ...chosen]));
    }
    return missing;
  });
  const confirm = () => {
    const lines = rows
      .filter((row) => !isBlankOrZero(parts.get(buildSourceKey(keys, row)) ?? ''))
      .map((row) => newLine(block.fields, { ...row, [source.takes]: parts.get(buildSourceKey(keys, row)) }));
    if (lines.length === 0) showMessage('warning', `请选择${block.label}`);
    else onPick(lines);
  };
  const partColumn: TableColumnType<Row> = {
    title: part?.label,
    width: 130,
    fixed: 'end',
    render: (_value, row) => {
      const key = buildSourceKey(keys, row);
      return (
        <Input
          ref={(input) => {
            // The dialog begins in its first amount; a row that is scrolled back does not call the hand there again.
            if (!input || begun.current) return;
            begun.current = true;
            input.focus({ preventScroll: true });
          }}
          className="figure"
          aria-label={`${String(row.bill_no ?? row.source_no)} ${part?.label ?? ''}`}
          value={parts.get(key) ?? ''}
          onChange={(event) => type(key, filterKeys(event.target.value, 'signed', decimals))}
          onKeyDown={(event) =>
            handlePartKey(event, () => parts.has(key) || type(key, String(row[`open_${source.takes}`])), confirm)
          }
        />
      );
    },
  };
  return (
    <Modal open centered width={1000} title={`选择${block.label}`} okText="确定" onOk={confirm} onCancel={onClose}>
      <p className="line-hint">回车取该行全部未结数并到下一行，↑↓ 换行，Ctrl+回车 确定</p>
      <SourceSpread source={source} context={context} taken={taken} items={items} parts={parts} onSpread={setParts} />
      {data?.more && <TruncationNotice count={data.data.length} />}
      <Table<Row>
        bordered
        virtual
        size="small"
        rowKey={(row) => buildSourceKey(keys, row)}
        loading={isFetching}
        columns={[...sourceColumns(block, source.takes, rows), partColumn]}
        dataSource={rows}
        locale={{ emptyText: error ? error.message : source.drawn ? '没有可选的来源单据' : '没有未核销的单据' }}
        pagination={false}
        scroll={{ x: 860, y: 420 }}
        rowSelection={{
          columnWidth: 40,
          fixed: true,
          selectedRowKeys: [...parts.keys()],
          onChange: (chosen) => choose(chosen.map(String)),
        }}
      />
    </Modal>
  );
}

/** Enter takes what a row has open, if nothing was typed, and goes to the next; with Ctrl it takes what is chosen. */
function handlePartKey(event: KeyboardEvent<HTMLInputElement>, take: () => void, confirm: () => void): void {
  const { key, ctrlKey, metaKey, currentTarget } = event;
  if (isImeKey(event) || !['Enter', 'ArrowDown', 'ArrowUp'].includes(key)) return;
  event.preventDefault();
  if (key === 'Enter' && (ctrlKey || metaKey)) return confirm();
  if (key === 'Enter') take();
  const inputs = [...(currentTarget.closest('.ant-table')?.querySelectorAll<HTMLInputElement>('input.figure') ?? [])];
  inputs[inputs.indexOf(currentTarget) + (key === 'ArrowUp' ? -1 : 1)]?.focus();
}

/** Return the key of a source row, from its hidden key fields. */
function buildSourceKey(keys: Field[], row: Row): string {
  return keys.map((field) => String(row[field.name] ?? '')).join(':');
}

/**
 * Return what the bill's lines leave of a source row; a line of another bill may be split over several lines of this
 * one.
 */
function listUntakenRows(row: Row, { keys, taken, takes }: { keys: Field[]; taken: LineRow[]; takes: string }): Row[] {
  const named = keys.filter((field) => !isEmptyValue(field, row[field.name]));
  const taking = taken.filter(({ values }) => named.every((field) => values[field.name] === row[field.name]));
  const open = decimalOrZero(row[`open_${takes}`]);
  const rest = open.minus(decimalOrZero(sumDecimals(taking.map(({ values }) => values[takes])).toString()));
  if (taking.length === 0) return [row];
  return rest.times(open).lte(0) ? [] : [{ ...row, [takes]: rest.toString(), [`open_${takes}`]: rest.toString() }];
}

/** Return the columns that distinguish the rows; columns without any value are omitted. */
function sourceColumns(block: Block, takes: string, rows: Row[]): TableColumnType<Row>[] {
  return shownFields(block)
    .filter(
      (field) =>
        field.name !== takes && (rows.length === 0 || rows.some((row) => !isEmptyValue(field, row[field.name]))),
    )
    .map((field) => ({
      title: field.label,
      width: field.width,
      align: isRightAligned(field) ? 'right' : undefined,
      render: (_value, row) => <ReadOnlyValue field={field} row={row} />,
    }));
}
