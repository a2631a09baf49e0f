import { afterEach, describe, expect, it } from 'vitest';
import { setSession } from '../../lib/session';
import { buildBillScreen, buildField, buildRefField } from '../fixtures';
import { validateForm, createForm, markFailures, buildNewValues } from './formModel';

const block = (name: string, label: string) => ({
  name,
  label,
  fields: [
    buildField({ name: 'quantity', label: '数量', type: 'quantity', required: true }),
    buildField({ name: 'batch', label: '批次(DOT)' }),
  ],
  required: true,
  source: null,
});
const screen = buildBillScreen({
  kind: 'add',
  fields: [],
  blocks: [block('inputs', '投入明细'), block('outputs', '产出明细')],
  line: null,
  pricing: null,
});
const lines = (...quantities: string[]) =>
  quantities.map((quantity, at) => ({ line_id: at + 1, quantity, batch: 'x' }));

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
    expect(validateForm(screen, form).map(({ serial }) => serial)).toEqual(['产出明细第2行']);
  });
});

describe('a new record', () => {
  afterEach(() => setSession(null));

  it('belongs to the user’s own company; who a partner is nobody knows yet', () => {
    setSession({
      token: 't',
      company_id: 3,
      company_name: '杭州分公司',
      system: { type: 0, operatingVersion: 1, extendToolbar: '' },
    } as never);
    const owner = buildRefField('company_id', '公司', 'company', 'company_name', { required: true });
    const inner = buildRefField('inner_company_id', '内部公司', 'company', 'inner_company_name');
    expect(buildNewValues(buildBillScreen({ fields: [owner, inner] }))).toEqual({
      company_id: 3,
      company_name: '杭州分公司',
    });
  });
});
