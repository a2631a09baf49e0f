import { Input, Modal, Table, type TableColumnType } from 'antd';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { decimalOrZero, isNought, sumOf } from '../../lib/decimal';
import { showMessage } from '../../lib/errors';
import { MONEY_DECIMALS, QUANTITY_DECIMALS } from '../../lib/pricing';
import { useQuery } from '../../lib/query';
import { filterKeys } from '../../lib/numberEntry';
import { useFocusBack } from '../../lib/useFocusBack';
import { ShownValue } from '../fields/ShownValue';
import { isEmptyValue, isRightAligned } from '../fields/fieldValue';
import type { BillContext } from '../lines/billContext';
import { isImeKey } from '../lines/gridState';
import { newLine, type LineRow } from '../lines/lineModel';
import { sourceQuery } from '../queries';
import { columnsOf, type Block, type Field, type Row } from '../types';
import { allocate } from './allocate';
import { MoreOpen } from './MoreOpen';
import { SourceSpread, type Parts } from './SourceSpread';
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
const NAMES = ['bill_no', 'source_no', 'goods_num'];

/** What a source offers for the bill's header: choose some, or have the bill's amount spread over them, oldest first. */
export default function SourcePicker({ block, source, context, taken, onPick, onClose }: SourcePickerProps) {
  useFocusBack();
  const header = context.header();
  const query = Object.fromEntries(source.by.map((name) => [name, Number(header[name])]));
  const { data, isFetching, error } = useQuery(sourceQuery(source.api, query));
  const keys = useMemo(() => block.fields.filter((field) => field.hidden), [block]);
  const rows = useMemo(() => {
    const offered = data?.data ?? [];
    if (source.drawn) return offered.flatMap((row) => untaken(row, { keys, taken, takes: source.takes }));
    const held = new Set(taken.map((line) => keyOf(keys, line.values)));
    return offered.filter((row) => !held.has(keyOf(keys, row)));
  }, [data, taken, keys, source]);
  const part = block.fields.find((field) => field.name === source.takes);
  const decimals = part?.type === 'quantity' ? QUANTITY_DECIMALS : MONEY_DECIMALS;
  const [parts, setParts] = useState<Parts>(new Map());

  const items = rows.map((row) => ({
    key: keyOf(keys, row),
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
      const named = items.filter((_item, at) => NAMES.some((name) => rows[at]![name] === code));
      if (named.length === 0) missing.push(code);
      const chosen = quantity ? allocate(named, quantity, decimals) : named.map(({ key, open }): [string, string] => [key, open]);
      setParts((before) => new Map([...before, ...chosen]));
    }
    return missing;
  });
  const confirm = () => {
    const lines = rows
      .filter((row) => !isNought(parts.get(keyOf(keys, row)) ?? ''))
      .map((row) => newLine(block.fields, { ...row, [source.takes]: parts.get(keyOf(keys, row)) }));
    if (lines.length === 0) showMessage('warning', `请选择${block.label}`);
    else onPick(lines);
  };
  const partColumn: TableColumnType<Row> = {
    title: part?.label,
    width: 130,
    fixed: 'end',
    render: (_value, row) => {
      const key = keyOf(keys, row);
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
          onKeyDown={(event) => onPartKey(event, () => parts.has(key) || type(key, String(row[`open_${source.takes}`])), confirm)}
        />
      );
    },
  };
  return (
    <Modal open centered width={1000} title={`选择${block.label}`} okText="确定" onOk={confirm} onCancel={onClose}>
      <p className="line-hint">回车取该行全部未结数并到下一行，↑↓ 换行，Ctrl+回车 确定</p>
      <SourceSpread source={source} context={context} taken={taken} items={items} parts={parts} onSpread={setParts} />
      {data?.more && <MoreOpen count={data.data.length} />}
      <Table<Row>
        bordered
        virtual
        size="small"
        rowKey={(row) => keyOf(keys, row)}
        loading={isFetching}
        columns={[...sourceColumns(block, source.takes, rows), partColumn]}
        dataSource={rows}
        locale={{ emptyText: error ? error.message : source.drawn ? '没有可选的来源单据' : '没有未核销的单据' }}
        pagination={false}
        scroll={{ x: 860, y: 420 }}
        rowSelection={{ columnWidth: 40, fixed: true, selectedRowKeys: [...parts.keys()], onChange: (chosen) => choose(chosen.map(String)) }}
      />
    </Modal>
  );
}

/** Enter takes what a row has open, if nothing was typed, and goes to the next; with Ctrl it takes what is chosen. */
function onPartKey(event: KeyboardEvent<HTMLInputElement>, take: () => void, confirm: () => void): void {
  const { key, ctrlKey, metaKey, currentTarget } = event;
  if (isImeKey(event) || !['Enter', 'ArrowDown', 'ArrowUp'].includes(key)) return;
  event.preventDefault();
  if (key === 'Enter' && (ctrlKey || metaKey)) return confirm();
  if (key === 'Enter') take();
  const inputs = [...(currentTarget.closest('.ant-table')?.querySelectorAll<HTMLInputElement>('input.figure') ?? [])];
  inputs[inputs.indexOf(currentTarget) + (key === 'ArrowUp' ? -1 : 1)]?.focus();
}

/** What tells a row of the source from others is sent, but not shown. */
function keyOf(keys: Field[], row: Row): string {
  return keys.map((field) => String(row[field.name] ?? '')).join(':');
}

/** What the bill's lines have left of a row: a line of another bill may be split over several of this one. */
function untaken(row: Row, { keys, taken, takes }: { keys: Field[]; taken: LineRow[]; takes: string }): Row[] {
  const named = keys.filter((field) => !isEmptyValue(field, row[field.name]));
  const held = taken.filter(({ values }) => named.every((field) => values[field.name] === row[field.name]));
  const open = decimalOrZero(row[`open_${takes}`]);
  const rest = open.minus(decimalOrZero(sumOf(held.map(({ values }) => values[takes])).toString()));
  if (held.length === 0) return [row];
  return rest.times(open).lte(0) ? [] : [{ ...row, [takes]: rest.toString(), [`open_${takes}`]: rest.toString() }];
}

/** What tells the rows apart; what none of them has, as what is filled in on the bill, is left out. */
function sourceColumns(block: Block, takes: string, rows: Row[]): TableColumnType<Row>[] {
  return columnsOf(block)
    .filter((field) => field.name !== takes && (rows.length === 0 || rows.some((row) => !isEmptyValue(field, row[field.name]))))
    .map((field) => ({
      title: field.label,
      width: field.width,
      align: isRightAligned(field) ? 'right' : undefined,
      render: (_value, row) => <ShownValue field={field} row={row} />,
    }));
}
