import { createStore, type Store } from '../../lib/store';
import type { Field, Pricing } from '../types';
import { addDiscountPrices } from './discountPrice';
import { newLine, type LineRow } from './lineModel';
import { prorateSources } from './sourceShares';

/** The lines of one block and what may be done to their sequence. */
export interface LineStore extends Store<LineRow[]> {
  fields: Field[];
  /** True if lines may be keyed in; otherwise they come from a source only. */
  grows: boolean;
  update: (index: number, change: (line: LineRow) => LineRow) => void;
  /** Ensure that a line exists at `index`; return its index. */
  ensureLine: (index: number) => number;
  insert: (index: number) => void;
  remove: (index: number) => void;
  /** Work whose result lines still wait for: look-ups of goods, a paste; false from it where what was typed came to nothing. */
  track: (work: Promise<unknown>) => void;
  /** Once nothing is waited for any more: whether everything typed has come to the lines. */
  whenIdle: () => Promise<boolean>;
}

/** With `pricing` lines that are drawn from others take over what falls to them, whatever changes. */
export function createLineStore(
  fields: Field[],
  lines: LineRow[],
  grows = true,
  pricing: Pricing | null = null,
): LineStore {
  const atLeastOne = (some: LineRow[]) => (some.length > 0 || !grows ? some : [newLine(fields)]);
  const recompute = (some: LineRow[]) => addDiscountPrices(prorateSources(some, pricing), pricing);
  const base = createStore<LineRow[]>(recompute(atLeastOne(lines)));
  const store: typeof base = { ...base, set: (change) => base.set((before) => recompute(change(before))) };
  const working = new Set<Promise<unknown>>();
  return {
    ...store,
    fields,
    grows,
    track: (work) => {
      working.add(work);
      void work.finally(() => working.delete(work)).catch(() => undefined);
    },
    whenIdle: async () => {
      let whole = true;
      while (working.size > 0) {
        const ended = await Promise.allSettled(working);
        whole &&= ended.every((one) => one.status === 'fulfilled' && one.value !== false);
      }
      return whole;
    },
    update: (index, change) =>
      store.set((before) => {
        const line = before[index];
        const next = line && change(line);
        return next === undefined || next === line ? before : before.with(index, next);
      }),
    ensureLine: (index) => {
      store.set((before) => {
        if (index < before.length) return before;
        const missing = Array.from({ length: index + 1 - before.length }, () => newLine(fields));
        return [...before, ...missing];
      });
      return index;
    },
    insert: (index) => store.set((before) => before.toSpliced(index, 0, newLine(fields))),
    remove: (index) => store.set((before) => atLeastOne(before.toSpliced(index, 1))),
  };
}
