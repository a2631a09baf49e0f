import { describe, expect, it } from 'vitest';
import { field } from '../fixtures';
import { fieldText } from './fieldValue';

describe('a rate', () => {
  it('stands as it was typed, and lines up where it is computed', () => {
    const row = { tax_rate: '13.0000', rebate: '0.125', margin: '17.6321', share: '17.2', cost: '无权限' };
    const text = (name: keyof typeof row, form: boolean) => fieldText(field({ name, type: 'rate', form }), row);
    expect([text('tax_rate', true), text('rebate', true)]).toEqual(['13', '0.125']);
    expect([text('margin', false), text('share', false), text('cost', false)]).toEqual(['17.63', '17.20', '无权限']);
  });
});

it('0 stands for all choices where it is none, another one for none known', () => {
  const text = (options: { value: number; label: string }[], value: number) => fieldText(field({ name: 'status', type: 'enum', options }), { status: value });
  const statuses = [{ value: 1, label: '未审核' }];
  expect([0, 1, 9].map((value) => text(statuses, value))).toEqual(['全部', '未审核', '未知']);
  expect(text([{ value: 0, label: 'ERP' }], 0)).toBe('ERP');
});

it('a month stands without the day that stands for it', () => {
  const text = (span?: 'month') => fieldText(field({ name: 'on', type: 'date', span }), { on: '2026-11-01' });
  expect([text(), text('month')]).toEqual(['2026-11-01', '2026-11']);
});
