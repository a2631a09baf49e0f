import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { showMessage } from '../../lib/errors';
import { createStore, useStore } from '../../lib/store';
import { goodsNarrow, suggestedPrice, type BillContext } from '../lines/billContext';
import { goodsField, proposeAgain, toldBy, type LineRow } from '../lines/lineModel';
import { withUnits } from '../lines/packs';
import { resolveCodes } from '../lines/resolveCodes';
import { inTime, underPresent } from '../pickers/typedChoice';
import type { GoodsRow } from '../queries';
import type { Pricing, Screen } from '../types';
import type { FormModel } from './formModel';
import { changedNames, tellPrices } from './proposedPrices';

interface Asked {
  form: FormModel | null;
  /** What the lines' stock was asked for, and what their prices follow. */
  narrow: string;
  priced: string;
}

/**
 * Keeps the lines in step with the bill's warehouse, partner and day: stock and last price beside them, their packs with the
 * goods' units, and the prices that were proposed and that nobody typed over.
 */
export function useLineStock(screen: Screen, form: FormModel, context: BillContext): void {
  const client = useQueryClient();
  const narrow = useStore(form.header, () => JSON.stringify(goodsNarrow(context)));
  const [asked] = useState(() => createStore<Asked>({ form: null, narrow: '', priced: '' }));
  useEffect(() => {
    const before = asked.get();
    if (before.form === form && before.narrow === narrow) return;
    // What a form begins with is as it was left.
    const priced = before.form === form ? before.priced : narrow;
    asked.set(() => ({ form, narrow, priced }));
    const isStale = () => asked.get().form !== form || asked.get().narrow !== narrow;
    const changed = changedNames(priced, narrow);
    const inStep = form.blocks.map(async ({ block, store }) => {
      const lines = store.get();
      const codes = new Set(lines.map(codeOf));
      codes.delete('');
      if (goodsField(block) === undefined || codes.size === 0) return true;
      const pricing = block.name === screen.line?.name && changed.length > 0 ? screen.pricing : null;
      const work = inTime(underPresent(() => goodsNarrow(context), (present) => resolveCodes(client, [...codes], present))).then(
        (found) => {
          if (isStale()) return true;
          const present = store.get();
          const next = present.map((line) => kept(line, found.get(codeOf(line).toLowerCase()), pricing));
          store.set(() => next);
          if (pricing) tellPrices(screen, changed, pricing, present, next);
          return true;
        },
        () => {
          // A glance at the stock is no reason to disturb whoever is keying in; prices of another partner are.
          if (isStale() || !pricing || !store.get().some(isProposed)) return isStale() || !pricing;
          showMessage('warning', '单价没有重新带出，仍是变更前的，请核对', 6);
          return false;
        },
      );
      // A bill is not saved with prices that are on their way out.
      if (pricing && lines.some(isProposed)) store.track(work);
      return work;
    });
    void Promise.all(inStep).then((all) => {
      if (!isStale() && all.every(Boolean)) asked.set((now) => ({ ...now, priced: narrow }));
    });
  }, [narrow, asked, client, screen, form, context]);
}

const codeOf = (line: LineRow): string => String(line.values.goods_num ?? '');

const isProposed = (line: LineRow): boolean => Boolean(line.values.price_source);

function kept(line: LineRow, goods: GoodsRow | undefined, pricing: Pricing | null): LineRow {
  if (!goods) return line;
  const values = withUnits({ ...line.values, ...toldBy(goods, line.values) }, goods.units ?? [], 'quantity');
  const told = { ...line, values };
  return pricing ? proposeAgain(told, pricing, suggestedPrice(goods), goods.price_source ?? null) : told;
}
