import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen } from '../fixtures';
import { stubElementSizes, okAnswer, pressButton, renderPage } from '../harness';
import type { LineRow } from '../lines/lineModel';
import type { Block, Field } from '../types';
import SourcePicker from './SourcePicker';

const [sample] = buildBillScreen().blocks[0]!.fields;
const field = (name: string, more: Partial<Field>): Field => ({
  ...sample!,
  name,
  label: name,
  ref: null,
  label_field: null,
  ...more,
});
const hidden = { type: 'integer', hidden: true, list: false } as const;
const block: Block = {
  name: 'lines',
  label: '开票明细',
  required: true,
  source: { api: 'v2/sales/SalesInvoice/getOpenLines', by: ['customer_id'], takes: 'amount', drawn: true },
  fields: [
    field('amount', { label: '开票金额', type: 'money', form: true, required: true }),
    field('source_no', { label: '来源单号', type: 'text', form: false, readonly: true }),
    field('outbound_line_id', hidden),
    field('return_line_id', hidden),
  ],
};
const open = [
  { outbound_line_id: 7, source_no: 'XSCK7', amount: '1130.00', open_amount: '1130.00' },
  { outbound_line_id: 8, source_no: 'XSCK8', amount: '50.00', open_amount: '50.00' },
  { return_line_id: 7, source_no: 'XSTH7', amount: '-226.00', open_amount: '-226.00' },
];

let view: ReturnType<typeof renderPage>;
const picked = vi.fn<(lines: LineRow[]) => void>();
const show = (taken: LineRow[] = [], more = false) => {
  const context = { bill: 'sales_invoice', header: () => ({ customer_id: 3 }), paid: false };
  view = renderPage(
    <SourcePicker
      block={block}
      source={block.source!}
      context={context}
      taken={taken}
      onPick={picked}
      onClose={() => undefined}
    />,
    { 'v2/sales/SalesInvoice/getOpenLines': () => okAnswer({ data: open, more }) },
  );
  return screen.findByText('XSTH7');
};
const pickedAmounts = () => picked.mock.lastCall?.[0].map(({ values }) => [values.source_no, values.amount]);

beforeEach(stubElementSizes);
afterEach(() => {
  view.done();
  picked.mockClear();
});

it('tells when there is more to choose from than it shows', async () => {
  await show();
  expect(screen.queryByText(/只列出最早的/)).toBeNull();
  view.done();
  await show([], true);
  expect(screen.getByText(/只列出最早的 3 条/)).toBeTruthy();
});

describe('lines of other bills', () => {
  it('are taken all at once, each with what is open of it', async () => {
    await show();
    expect(view.calls[0]?.query.customer_id).toBe('3');
    await pressButton('全部选择');
    expect(screen.getByText('已选 3 行，合计 954')).toBeTruthy();
    await pressButton('确定');
    expect(pickedAmounts()).toEqual([
      ['XSCK7', '1130.00'],
      ['XSCK8', '50.00'],
      ['XSTH7', '-226.00'],
    ]);
  });

  it('are split: what the bill has left of one is offered again', async () => {
    await show([{ key: 'a', values: { ...open[0]!, amount: '1000.00' }, problems: {}, refused: {} }]);
    await pressButton('全部选择');
    await pressButton('确定');
    expect(pickedAmounts()).toEqual([
      ['XSCK7', '130'],
      ['XSCK8', '50.00'],
      ['XSTH7', '-226.00'],
    ]);
  });

  it('are taken in part, and not twice', async () => {
    await show([{ key: 'a', values: open[0]!, problems: {}, refused: {} }]);
    expect(screen.queryByText('XSCK7')).toBeNull();
    await pressButton('全部选择');
    fireEvent.change(screen.getByLabelText('XSCK8 开票金额'), { target: { value: '20' } });
    await pressButton('确定');
    await waitFor(() =>
      expect(pickedAmounts()).toEqual([
        ['XSCK8', '20'],
        ['XSTH7', '-226.00'],
      ]),
    );
  });

  it('are not left out for an amount that is no number, which the bill then refuses', async () => {
    await show();
    await pressButton('全部选择');
    fireEvent.change(screen.getByLabelText('XSCK7 开票金额'), { target: { value: '12,5' } });
    fireEvent.change(screen.getByLabelText('XSCK8 开票金额'), { target: { value: '0' } });
    await pressButton('确定');
    await waitFor(() =>
      expect(pickedAmounts()).toEqual([
        ['XSCK7', '12,5'],
        ['XSTH7', '-226.00'],
      ]),
    );
  });

  it('are chosen by a paste of codes and amounts, and told where there is none', async () => {
    await show();
    fireEvent.paste(window, { clipboardData: { getData: () => '来源单号\t金额\nXSCK7\t100\nXSCK8\nXSCK9\t5' } });
    await waitFor(() =>
      expect(view.told.at(-1)).toMatchObject({ msg: '已选中2个编码，1个未找到', failures: [{ serial: 'XSCK9' }] }),
    );
    await pressButton('确定');
    expect(pickedAmounts()).toEqual([
      ['XSCK7', '100.00'],
      ['XSCK8', '50.00'],
    ]);
  });
});
