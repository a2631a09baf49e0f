import { describe, expect, it } from 'vitest';
import { buildField, buildRefField } from '../fixtures';
import type { Row } from '../types';
import { formatField } from './fieldValue';

describe('a rate', () => {
  it('stands as it was typed, and lines up where it is computed', () => {
    const row = { tax_rate: '13.0000', rebate: '0.125', margin: '17.6321', share: '17.2', cost: '无权限' };
    const text = (name: keyof typeof row, form: boolean) => formatField(buildField({ name, type: 'rate', form }), row);
    expect([text('tax_rate', true), text('rebate', true)]).toEqual(['13', '0.125']);
    expect([text('margin', false), text('share', false), text('cost', false)]).toEqual(['17.63', '17.20', '无权限']);
  });
});

it('0 stands for all choices where it is none, another one for none known', () => {
  const text = (options: { value: number; label: string }[], value: number) =>
    formatField(buildField({ name: 'status', type: 'enum', options }), { status: value });
  const statuses = [{ value: 1, label: '未审核' }];
  expect([0, 1, 9].map((value) => text(statuses, value))).toEqual(['全部', '未审核', '未知']);
  expect(text([{ value: 0, label: 'ERP' }], 0)).toBe('ERP');
});

it('a month stands without the day that stands for it', () => {
  const text = (span?: 'month') => formatField(buildField({ name: 'on', type: 'date', span }), { on: '2026-11-01' });
  expect([text(), text('month')]).toEqual(['2026-11-01', '2026-11']);
});

it('what the books say stands in the place of a name, and is masked with it', () => {
  const batch = buildRefField('batch_id', '批次', 'goods_batch', 'batch', { told_by: 'picked_batches' });
  const text = (row: Row) => formatField(batch, row);
  expect(text({ batch_id: null, batch: null, picked_batches: '0126×20、1026×20' })).toBe('0126×20、1026×20');
  expect(text({ batch_id: 7, batch: '3526', picked_batches: null })).toBe('3526');
  expect(text({ batch_id: 7, batch: '3526' })).toBe('3526');
  expect(text({ batch_id: '无权限', batch: '无权限', picked_batches: '无权限' })).toBe('无权限');
  expect(text({ batch_id: null, batch: null, picked_batches: null })).toBe('');
});
