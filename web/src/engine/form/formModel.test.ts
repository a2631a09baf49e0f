import { describe, expect, it } from 'vitest';
import { setSession, type Session } from '../../lib/session';
import { billScreen, field, refField } from '../fixtures';
import { checkForm, createForm, markFailures, newValues } from './formModel';

const block = (name: string, label: string) => ({
  name,
  label,
  fields: [field({ name: 'quantity', label: '数量', type: 'quantity', required: true }), field({ name: 'batch', label: '批次(DOT)' })],
  required: true,
  source: null,
});
const screen = billScreen({ kind: 'add', fields: [], blocks: [block('inputs', '投入明细'), block('outputs', '产出明细')], line: null, pricing: null });
const lines = (...quantities: string[]) => quantities.map((quantity, at) => ({ line_id: at + 1, quantity, batch: 'x' }));

describe('a bill of two blocks', () => {
  it('marks the row of the block that the server names', () => {
    const form = createForm(screen, { inputs: lines('1', '2'), outputs: lines('3', '4') });
    markFailures(screen, form, [
      { index: 1, serial: '产出明细第2行', msg: '请录入批次(DOT)' },
      { index: 2, serial: '第1行', msg: '“数量”请输入数字' },
    ]);
    const problems = form.blocks.map(({ store }) => store.get().map((line) => line.problems));
    expect(problems).toEqual([
      [{ quantity: '“数量”请输入数字' }, {}],
      [{}, { batch: '请录入批次(DOT)' }],
    ]);
  });

  it('says itself in which block a row is wrong', () => {
    const form = createForm(screen, { inputs: lines('1'), outputs: lines('3', '') });
    expect(checkForm(screen, form).map(({ serial }) => serial)).toEqual(['产出明细第2行']);
  });
});

it('a new record is of the own company, and of no other kind of company that it need not name', () => {
  setSession({ token: 't', sign_key: 'k', expires_at: '2099-01-01 00:00:00', company_id: 2, company_name: '华东公司' } as Session);
  const company = (name: string, required: boolean) => refField(name, '公司', 'company', name.replace('_id', '_name'), { required });
  const fields = [company('company_id', true), company('inner_company_id', false)];
  expect(newValues(billScreen({ kind: 'add', fields }))).toEqual({ company_id: 2, company_name: '华东公司' });
  setSession(null);
});
