import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { showMessage } from '../../lib/errors';
import { createStore, useStore } from '../../lib/store';
import { buildGoodsQuery, suggestedPrice, type BillContext } from '../lines/billContext';
import { goodsField, updateProposedPrice, buildGoodsInfo, type LineRow } from '../lines/lineModel';
import { updateUnits } from '../lines/packs';
import { resolveCodes } from '../lines/resolveCodes';
import { withTimeout, fetchForCurrentContext } from '../pickers/typedChoice';
import type { GoodsRow } from '../queries';
import type { Pricing, Screen } from '../types';
import type { FormModel } from './formModel';
import { listChangedFields, showPriceChanges } from './proposedPrices';

interface LineStockRequest {
  form: FormModel | null;
  /** Query that the lines' stock was read for, and that their prices depend on. */
  narrow: string;
  priced: string;
}

/**
 * Keeps the lines in step with the bill's warehouse, partner and day: stock and last price beside them, their packs with the
 * goods' units, and the prices that were proposed and that nobody typed over.
 */
export function useLineStock(screen: Screen, form: FormModel, context: BillContext): void {
  const client = useQueryClient();
  const narrow = useStore(form.header, () => JSON.stringify(buildGoodsQuery(context)));
  const [requested] = useState(() => createStore<LineStockRequest>({ form: null, narrow: '', priced: '' }));
  useEffect(() => {
    const before = requested.get();
    if (before.form === form && before.narrow === narrow) return;
    // What a form begins with is as it was left.
    const priced = before.form === form ? before.priced : narrow;
    requested.set(() => ({ form, narrow, priced }));
    const isStale = () => requested.get().form !== form || requested.get().narrow !== narrow;
    const changed = listChangedFields(priced, narrow);
    const inStep = form.blocks.map(async ({ block, store }) => {
      const lines = store.get();
      const codes = new Set(lines.map(goodsCode));
      codes.delete('');
      if (goodsField(block) === undefined || codes.size === 0) return true;
      const pricing = block.name === screen.line?.name && changed.length > 0 ? screen.pricing : null;
      const work = withTimeout(
        fetchForCurrentContext(
          () => buildGoodsQuery(context),
          (present) => resolveCodes(client, [...codes], present),
        ),
      ).then(
        (found) => {
          if (isStale()) return true;
          const present = store.get();
          const next = present.map((line) => refreshLine(line, found.get(goodsCode(line).toLowerCase()), pricing));
          store.set(() => next);
          if (pricing) showPriceChanges(screen, changed, pricing, present, next);
          return true;
        },
        () => {
          // A glance at the stock is no reason to disturb whoever is keying in; prices of another partner are.
          if (isStale() || !pricing || !store.get().some(hasProposedPrice)) return isStale() || !pricing;
          showMessage('warning', '单价没有重新带出，仍是变更前的，请核对', 6);
          return false;
        },
      );
      // A bill is not saved with prices that are on their way out.
      if (pricing && lines.some(hasProposedPrice)) store.track(work);
      return work;
    });
    void Promise.all(inStep).then((all) => {
      if (!isStale() && all.every(Boolean)) requested.set((now) => ({ ...now, priced: narrow }));
    });
  }, [narrow, requested, client, screen, form, context]);
}

const goodsCode = (line: LineRow): string => String(line.values.goods_num ?? '');

const hasProposedPrice = (line: LineRow): boolean => Boolean(line.values.price_source);

function refreshLine(line: LineRow, goods: GoodsRow | undefined, pricing: Pricing | null): LineRow {
  if (!goods) return line;
  const values = updateUnits({ ...line.values, ...buildGoodsInfo(goods, line.values) }, goods.units ?? [], 'quantity');
  const refreshed = { ...line, values };
  return pricing
    ? updateProposedPrice(refreshed, pricing, suggestedPrice(goods), goods.price_source ?? null)
    : refreshed;
}
