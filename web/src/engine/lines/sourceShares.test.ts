import { describe, expect, it } from 'vitest';
import { goodsLineFields, pricing as PRICING } from '../fixtures';
import type { Field, Row } from '../types';
import { buildLinePayload, newLine, typeCell } from './lineModel';
import { createLineStore } from './lineStore';
import { readDrawnSource, buildSourceMark, type DrawnSource } from './sourceShares';

const fields = goodsLineFields;
const [quantity, price, discount, amount] = ['quantity', 'price', 'discount_amount', 'amount'].map((name) =>
  fields.find((one) => one.name === name)!,
) as [Field, Field, Field, Field];
const buildDrawnSource = (told: Partial<DrawnSource> = {}): DrawnSource => ({
  column: 'source_line_id',
  capped: true,
  follows: true,
  quantity: '7.000',
  price: '33.330000',
  tax_rate: '13.0000',
  is_gift: false,
  amount: '223.31',
  discount_amount: '10.00',
  tax_amount: '25.69',
  taken_quantity: '0',
  taken_amount: '0',
  taken_discount: '0',
  taken_tax: '0',
  own_amount: '0',
  own_tax: '0',
  ...told,
});
const line = (many: string, more: Row = {}) =>
  newLine(fields, { source_line_id: 5, quantity: many, drawn: buildDrawnSource(), ...more });
const money = (store: ReturnType<typeof createLineStore>) =>
  store.get().map(({ values }) => [values.quantity, values.discount_amount, values.amount, values.tax_amount]);

describe('lines drawn from another bill', () => {
  it('have what falls to them from the beginning, and after each change of a quantity', () => {
    const store = createLineStore(fields, [line('7')], true, PRICING);
    expect(money(store)).toEqual([['7', '10.00', '223.31', '25.69']]);
    store.update(0, (one) => typeCell(one, quantity, '1', PRICING).line);
    expect(money(store)).toEqual([['1', '1.43', '31.90', '3.67']]);
    store.update(0, (one) => typeCell(one, quantity, '7', PRICING).line);
    expect(money(store)).toEqual([['7', '10.00', '223.31', '25.69']]);
  });

  it('count what was taken before, and each other', () => {
    const taken = { taken_quantity: '3', taken_amount: '95.70', taken_discount: '4.29', taken_tax: '11.01' };
    const store = createLineStore(
      fields,
      [line('2', { drawn: buildDrawnSource(taken) }), line('2', { drawn: buildDrawnSource(taken) })],
      true,
      PRICING,
    );
    expect(money(store)).toEqual([
      ['2', '2.85', '63.81', '7.34'],
      ['2', '2.86', '63.80', '7.34'],
    ]);
    store.update(0, (one) => typeCell(one, quantity, '1', PRICING).line);
    expect(money(store).map(([, , due]) => due)).toEqual(['31.91', '63.80']);
    store.remove(0);
    expect(money(store).map(([, , due]) => due)).toEqual(['63.81']);
  });

  it('keep a price of their own, and say when it is more than falls to them', () => {
    const store = createLineStore(fields, [line('1')], true, PRICING);
    expect(buildSourceMark(store.get()[0]!.values, price, PRICING)?.className).toBe('from-source');
    store.update(0, (one) => typeCell(one, price, '20', PRICING).line);
    store.update(0, (one) => typeCell(one, discount, '0', PRICING).line);
    store.update(0, (one) => typeCell(one, quantity, '2', PRICING).line);
    expect(money(store).map(([, , due]) => due)).toEqual(['40.00']);
    expect(buildSourceMark(store.get()[0]!.values, price, PRICING)).toBeNull();
    store.update(0, (one) => typeCell(one, price, '5000', PRICING).line);
    expect(buildSourceMark(store.get()[0]!.values, amount, PRICING)?.hint).toContain('超过来源单据可退的 63.80 元');
    store.update(0, (one) => typeCell(one, price, '33.33', PRICING).line);
    store.update(0, (one) => typeCell(one, discount, '2.86', PRICING).line);
    expect(money(store)).toEqual([['2', '2.86', '63.80', '7.34']]);
    expect(buildSourceMark(store.get()[0]!.values, amount, PRICING)?.className).toBe('from-source');
  });

  it('are shared by nobody who may not see the money', () => {
    const store = createLineStore(fields, [line('1', { drawn: null, price: '无权限' })], true, PRICING);
    store.update(0, (one) => typeCell(one, quantity, '2', PRICING).line);
    expect(store.get()[0]!.values.price).toBe('无权限');
  });
});

describe('a line whose source is not told whole', () => {
  const told = { column: 'source_line_id', capped: true, follows: true };
  const offered = {
    price: '75.770000',
    discount_amount: '8.08',
    tax_rate: '13.0000',
    amount: '295.00',
    tax_amount: '无权限',
    no_tax_amount: '无权限',
  };
  const sent = (store: ReturnType<typeof createLineStore>) => {
    const { quantity: many, price: unit, discount_amount: less } = buildLinePayload(fields, store.get()[0]!);
    return [many, unit, less];
  };

  it('is shared by what it was offered with, and leaves price and discount to the server', () => {
    const store = createLineStore(fields, [line('4.000', { ...offered, drawn: told })], true, PRICING);
    store.update(0, (one) => typeCell(one, quantity, '1', PRICING).line);
    expect(money(store)).toEqual([['1', '2.02', '73.75', '无权限']]);
    expect(sent(store)).toEqual(['1', null, null]);
    store.update(0, (one) => typeCell(one, quantity, '4', PRICING).line);
    expect(money(store)).toEqual([['4', '8.08', '295.00', '无权限']]);
  });

  it('grows alike when it was stored', () => {
    const stored = { ...offered, discount_amount: '2.02', amount: '73.75', drawn: told };
    const store = createLineStore(fields, [line('1.000', stored)], true, PRICING);
    store.update(0, (one) => typeCell(one, quantity, '2', PRICING).line);
    expect(money(store)).toEqual([['2', '4.04', '147.50', '无权限']]);
    expect(sent(store)).toEqual(['2', null, null]);
  });

  it('shows nothing of what is hidden', () => {
    const hidden = { ...offered, amount: '无权限', tax_amount: '33.94' };
    const store = createLineStore(fields, [line('4', { ...hidden, drawn: told })], true, PRICING);
    store.update(0, (one) => typeCell(one, quantity, '1', PRICING).line);
    expect(money(store)).toEqual([['1', '2.02', '无权限', '8.49']]);
    expect(store.get()[0]!.values.no_tax_amount).toBe('无权限');
  });

  it.each([{}, { price: '无权限' }])('keeps a discount that is typed: %o', (more) => {
    const store = createLineStore(fields, [line('4', { ...offered, drawn: told, ...more })], true, PRICING);
    store.update(0, (one) => typeCell(one, discount, '5', PRICING).line);
    store.update(0, (one) => typeCell(one, quantity, '2', PRICING).line);
    expect(sent(store)[2]).toMatch(/^5(\.00)?$/);
  });

  it('keeps what it has of its own', () => {
    const own = { ...offered, price: '15', discount_amount: '0', amount: '15.00', drawn: { ...told, follows: false } };
    const store = createLineStore(fields, [line('1', own)], true, PRICING);
    store.update(0, (one) => typeCell(one, price, '15', PRICING).line);
    store.update(0, (one) => typeCell(one, quantity, '2', PRICING).line);
    expect(money(store)[0]!.slice(0, 3)).toEqual(['2', '0', '30.00']);
    expect(sent(store)[1]).toBe('15');
  });

  it('may stand beside another part of its source', () => {
    const part = { ...offered, discount_amount: '4.04', amount: '147.50', drawn: told };
    const store = createLineStore(fields, [line('2', part), line('2', part)], true, PRICING);
    expect(money(store).map(([, less, due]) => [less, due])).toEqual([
      ['4.04', '147.50'],
      ['4.04', '147.50'],
    ]);
  });
});

describe('what was let pass before', () => {
  it('leaves the rest for the others', () => {
    const sold = { quantity: '2', price: '50', amount: '100.00', discount_amount: '0.00', tax_amount: '11.50' };
    const taken = {
      taken_quantity: '1',
      taken_amount: '50.00',
      taken_tax: '5.75',
      own_amount: '80.00',
      own_tax: '9.20',
    };
    const store = createLineStore(
      fields,
      [line('1', { drawn: buildDrawnSource({ ...sold, ...taken }) })],
      true,
      PRICING,
    );
    expect(money(store)).toEqual([['1', '30.00', '20.00', '2.30']]);
    expect(buildSourceMark(store.get()[0]!.values, amount, PRICING)?.className).toBe('from-source');
    store.update(0, (one) => typeCell(one, discount, '0', PRICING).line);
    expect(buildSourceMark(store.get()[0]!.values, amount, PRICING)?.hint).toContain('超过来源单据可退的 20.00 元');
  });
});

describe('a discount that is typed on a drawn line', () => {
  it.each(['1.42', '1.44'])('is kept to the cent: %s', (typed) => {
    const store = createLineStore(fields, [line('1')], true, PRICING);
    store.update(0, (one) => typeCell(one, discount, typed, PRICING).line);
    expect(money(store)[0]![1]).toBe(typed);
    expect(readDrawnSource(store.get()[0]!.values)?.follows).toBe(false);
  });

  it('is told when it is larger than the line, and so is a price that is smaller than it', () => {
    const [whole] = createLineStore(fields, [line('1')], true, PRICING).get();
    for (const entry of [
      typeCell(whole!, discount, '200', PRICING),
      typeCell(whole!, price, '1', PRICING),
      typeCell(whole!, amount, '-1', PRICING),
    ]) {
      expect(entry.problem).toContain('优惠金额大于金额');
      expect(entry.line.values.discount_amount).toBe('0.00');
    }
    expect(typeCell(whole!, quantity, '0.01', PRICING).problem).toBeNull();
  });
});

describe('a discount larger than its line', () => {
  it('is told, and falls to nought', () => {
    const entry = typeCell(newLine(fields, { quantity: '2', price: '50' }), discount, '100.01', PRICING);
    expect(entry.problem).toContain('优惠金额大于金额');
    expect(entry.line.values.discount_amount).toBe('0.00');
  });

  it('is told when the quantity is cut below it', () => {
    const whole = typeCell(newLine(fields, { quantity: '2', price: '50' }), discount, '60', PRICING).line;
    expect(typeCell(whole, quantity, '1', PRICING).problem).toContain('优惠金额大于金额');
  });
});
