import { describe, expect, it } from 'vitest';
import { buildField, buildRefField } from '../fixtures';
import { prioritizeFigures } from './prioritizeFigures';

const text = (name: string, width = 200) => buildField({ name, width });
const amount = (name: string) => buildField({ name, width: 130, type: 'money', total: true });
const names = (fields: ReturnType<typeof buildField>[]) => prioritizeFigures(fields).map((one) => one.name);

describe('the figures of a list', () => {
  it('stay where they are while all of them are in sight', () => {
    expect(names([text('no'), text('customer'), amount('amount'), text('remark'), text('maker')])).toEqual([
      'no',
      'customer',
      'amount',
      'remark',
      'maker',
    ]);
  });
  it('follow as many of the columns before them as there is room for, in their own order', () => {
    const fields = [
      text('no'),
      text('date'),
      text('customer'),
      text('account'),
      text('way'),
      text('employee'),
      amount('amount'),
      amount('waived'),
    ];
    expect(names(fields)).toEqual(['no', 'date', 'customer', 'amount', 'waived', 'account', 'way', 'employee']);
  });
  it('that are many stand behind the first of them as they did', () => {
    const fields = [text('no', 500), text('goods', 400), ...['a', 'b', 'c', 'd', 'e'].map(amount)];
    expect(names(fields)).toEqual(['no', 'a', 'b', 'c', 'd', 'goods', 'e']);
  });
  it('never stand before what tells the rows apart, nor count what is hidden', () => {
    expect(names([text('no', 1000), amount('amount')])).toEqual(['no', 'amount']);
    expect(names([text('no'), { ...text('much', 900), optional: true }, amount('amount')])).toEqual([
      'no',
      'much',
      'amount',
    ]);
  });
  it('leave the partner in sight, before what there is no room for beside it', () => {
    const customer = buildRefField('customer', '客户', 'customer', 'customer_name', { width: 200 });
    const company = buildRefField('company', '公司', 'company', 'company_name', { width: 200 });
    const fields = [
      text('no'),
      text('date', 110),
      text('status', 90),
      company,
      customer,
      amount('quantity'),
      amount('amount'),
    ];
    expect(names(fields)).toEqual(['no', 'date', 'status', 'customer', 'quantity', 'amount', 'company']);
  });
});
