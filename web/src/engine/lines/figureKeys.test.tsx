import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildField, buildRefField } from '../fixtures';
import { stubElementSizes, renderPage } from '../harness';
import { newLine } from './lineModel';
import { createLineStore } from './lineStore';
import { LineTable } from './LineTable';

/** Lines without prices, as a transfer's or a stocktake's. */

const goods = buildRefField('goods_id', '商品', 'goods', 'goods_name', { required: true });
let done = () => {};

beforeEach(stubElementSizes);
afterEach(() => done());

function show(quantity: string, filled: boolean) {
  const fields = [
    goods,
    buildField({ name: quantity, label: '数量', type: 'quantity' }),
    buildField({ name: 'remark', label: '备注' }),
  ];
  const block = { name: 'lines', label: '明细', fields, required: true, source: null };
  const store = createLineStore(fields, filled ? [newLine(fields, { goods_id: 11, goods_name: '轮胎' })] : []);
  const view = renderPage(
    <LineTable
      name="test"
      block={block}
      pricing={null}
      store={store}
      context={{ bill: 'transfer_out', header: () => ({}) }}
    />,
    {},
  );
  done = view.done;
  const input = screen.getByLabelText<HTMLInputElement>(/^第\d+行 /);
  act(() => input.focus());
  return { ...view, store, place: () => input.getAttribute('aria-label') };
}

it.each(['quantity', 'counted_quantity'])('Alt+2 leads to %s, so that a digit is one and no goods', async (name) => {
  const view = show(name, true);
  await userEvent.keyboard('{Home}');
  expect(view.place()).toBe('第1行 商品');
  await userEvent.keyboard('{Alt>}2{/Alt}7{Enter}');
  expect(view.store.get()[0]?.values).toMatchObject({ goods_id: 11, [name]: '7' });
});

it('says that lines have no price where Alt+3 looks for one', async () => {
  const view = show('quantity', true);
  await userEvent.keyboard('{Alt>}3{/Alt}');
  expect(view.told.map(({ msg }) => msg)).toEqual(['明细没有单价']);
  expect(view.place()).toBe('第1行 数量');
});

it('begins at the quantity of a line that has its goods, else at the goods', () => {
  expect(show('quantity', true).place()).toBe('第1行 数量');
  done();
  expect(show('quantity', false).place()).toBe('第1行 商品');
});

it('Ctrl+Enter goes to a new line, from one that is filled in', async () => {
  const view = show('quantity', true);
  await userEvent.keyboard('5{Control>}{Enter}{/Control}');
  expect([view.place(), view.store.get()[0]?.values.quantity]).toEqual(['第2行 商品', '5']);
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  expect(view.store.get()).toHaveLength(2);
});
