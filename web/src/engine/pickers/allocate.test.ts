import { describe, expect, it } from 'vitest';
import { allocate, offset } from './allocate';

const items = [
  { key: 1, open: '100.00' },
  { key: 2, open: '50.50' },
  { key: 3, open: '-20.00' },
];

describe('allocate', () => {
  it('settles oldest first', () =>
    expect([...allocate(items.slice(0, 2), '120')]).toEqual([
      [1, '100.00'],
      [2, '20.00'],
    ]));
  it('stops where the amount ends', () => expect([...allocate(items.slice(0, 2), '100')]).toEqual([[1, '100.00']]));
  it('leaves an advance when more was paid than is open', () =>
    expect([...allocate(items.slice(0, 2), '1000')]).toEqual([
      [1, '100.00'],
      [2, '50.50'],
    ]));
  it('offsets returns', () =>
    expect(Object.fromEntries(allocate(items, '100'))).toEqual({ 3: '-20.00', 1: '100.00', 2: '20.00' }));
  it('without an amount settles all', () => expect(allocate(items, '').get(3)).toBe('-20.00'));
});

describe('offset', () => {
  it('lets advances pay debts, both oldest first, and leaves both sides equal', () =>
    expect([...offset([{ key: 4, open: '-60.00' }, ...items])]).toEqual([
      [4, '-60.00'],
      [1, '80.00'],
      [3, '-20.00'],
    ]));
  it('takes no more advances than are owed', () =>
    expect([
      ...offset([
        { key: 4, open: '-60.00' },
        { key: 5, open: '45.50' },
      ]),
    ]).toEqual([
      [4, '-45.50'],
      [5, '45.50'],
    ]));
});
