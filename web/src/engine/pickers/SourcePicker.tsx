import { useQuery } from '@tanstack/react-query';
import { Button, Input, Modal, Space, Table, type TableColumnType } from 'antd';
import { useMemo, useState } from 'react';
import { decimalOrZero, sumOf } from '../../lib/decimal';
import { showMessage } from '../../lib/errors';
import { formatMoney } from '../../lib/format';
import { limitNumber } from '../../lib/validation';
import { fieldText, isRightAligned } from '../fields/fieldValue';
import type { BillContext } from '../lines/billContext';
import { newLine, type LineRow } from '../lines/lineModel';
import { sourceQuery } from '../queries';
import { columnsOf, type Block, type Row } from '../types';
import { allocate, offset, sides } from './allocate';

interface SourcePickerProps {
  block: Block;
  source: NonNullable<Block['source']>;
  context: BillContext;
  taken: LineRow[];
  onPick: (lines: LineRow[]) => void;
  onClose: () => void;
}

/** Field of the block that takes part of the source's open amount. */
const AMOUNT = 'amount';
const OPEN = 'open_amount';

/** Open items of the bill's partner: choose some, or spread the bill's amount over them, oldest first. */
export default function SourcePicker({ block, source, context, taken, onPick, onClose }: SourcePickerProps) {
  const header = context.header();
  const query = Object.fromEntries(source.by.map((name) => [name, Number(header[name])]));
  const { data, isFetching, error } = useQuery(sourceQuery(source.api, query));
  const key = block.fields.find((field) => field.hidden && field.required)?.name ?? block.fields[0]!.name;
  const rows = useMemo(() => {
    const held = new Set(taken.map((line) => String(line.values[key])));
    return (data ?? []).filter((row) => !held.has(String(row[key])));
  }, [data, taken, key]);
  const amountLabel = block.fields.find((field) => field.name === AMOUNT)?.label ?? '金额';
  const [amounts, setAmounts] = useState<Map<number, string>>(new Map());
  const given = decimalOrZero(header[AMOUNT]).minus(decimalOrZero(sumOf(taken.map((line) => line.values[AMOUNT])).toString()));

  const items = rows.map((row) => ({ key: Number(row[key]), open: String(row[OPEN]) }));
  const chosen = sides(amounts.values());
  const choose = (keys: number[]) =>
    setAmounts((before) => new Map(keys.map((one) => [one, before.get(one) ?? openOf(rows, key, one)])));
  const confirm = () => {
    const lines = rows
      .filter((row) => amounts.has(Number(row[key])) && !decimalOrZero(amounts.get(Number(row[key]))).isZero())
      .map((row) => newLine(block.fields, { ...row, [AMOUNT]: amounts.get(Number(row[key])) }));
    if (lines.length === 0) showMessage('warning', `请选择${block.label}`);
    else onPick(lines);
  };
  const amountColumn: TableColumnType<Row> = {
    title: amountLabel,
    width: 130,
    fixed: 'end',
    render: (_value, row) => (
      <Input
        className="figure"
        aria-label={`${String(row.bill_no)} ${amountLabel}`}
        disabled={!amounts.has(Number(row[key]))}
        value={amounts.get(Number(row[key])) ?? ''}
        onChange={(event) => setAmounts((before) => new Map(before).set(Number(row[key]), limitNumber(event.target.value, 2)))}
      />
    ),
  };
  return (
    <Modal open centered width={1000} title={`选择${block.label}`} okText="确定" onOk={confirm} onCancel={onClose}>
      <Space className="picker-search">
        {context.paid ? (
          <>
            <Button disabled={given.lte(0)} onClick={() => setAmounts(allocate(items, given.toString()))}>
              按金额自动分配（先到期先核销）
            </Button>
            <Button onClick={() => setAmounts(allocate(items, ''))}>全部核销</Button>
            <span>
              可核销 {formatMoney(given.toString())}，已选 {formatMoney(sumOf(amounts.values()).toString())}
            </span>
          </>
        ) : (
          <>
            <Button onClick={() => setAmounts(offset(items))}>自动冲抵（先到期先核销）</Button>
            <span>
              已选往来 {formatMoney(chosen.owed.toString())}，预款 {formatMoney(chosen.advanced.toString())}
            </span>
          </>
        )}
      </Space>
      <Table<Row>
        bordered
        virtual
        size="small"
        rowKey={(row) => Number(row[key])}
        loading={isFetching}
        columns={[...sourceColumns(block), amountColumn]}
        dataSource={rows}
        locale={{ emptyText: error ? error.message : '没有未核销的单据' }}
        pagination={false}
        scroll={{ x: 860, y: 420 }}
        rowSelection={{ columnWidth: 40, fixed: true, selectedRowKeys: [...amounts.keys()], onChange: (keys) => choose(keys.map(Number)) }}
      />
    </Modal>
  );
}

function openOf(rows: Row[], key: string, id: number): string {
  return String(rows.find((row) => Number(row[key]) === id)?.[OPEN] ?? '');
}

function sourceColumns(block: Block): TableColumnType<Row>[] {
  return columnsOf(block)
    .filter((field) => field.name !== AMOUNT)
    .map((field) => ({
      title: field.label,
      width: field.width,
      align: isRightAligned(field) ? 'right' : undefined,
      render: (_value, row) => fieldText(field, row),
    }));
}
