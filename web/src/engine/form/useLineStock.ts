import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { createStore, useStore } from '../../lib/store';
import { goodsNarrow, type BillContext } from '../lines/billContext';
import { goodsField, toldBy } from '../lines/lineModel';
import { withUnits } from '../lines/packs';
import { resolveCodes } from '../lines/resolveCodes';
import type { FormModel } from './formModel';

/** Keeps stock and last price beside the lines in step with the bill's warehouse and partner, their packs with the goods' units. */
export function useLineStock(form: FormModel, context: BillContext): void {
  const client = useQueryClient();
  const narrow = useStore(form.header, () => JSON.stringify(goodsNarrow(context)));
  const [asked] = useState(() => createStore(''));
  useEffect(() => {
    if (asked.get() === narrow) return;
    asked.set(() => narrow);
    for (const { block, store } of form.blocks) {
      if (goodsField(block) === undefined) continue;
      const codes = new Set(store.get().map((line) => String(line.values.goods_num ?? '')));
      codes.delete('');
      if (codes.size === 0) continue;
      void resolveCodes(client, [...codes], goodsNarrow(context))
        .then((found) =>
          store.set((lines) =>
            lines.map((line) => {
              const goods = found.get(String(line.values.goods_num ?? '').toLowerCase());
              if (!goods) return line;
              const values = { ...line.values, ...toldBy(goods, line.values) };
              return { ...line, values: withUnits(values, goods.units ?? [], 'quantity') };
            }),
          ),
        )
        // A glance at the stock is no reason to disturb whoever is keying in.
        .catch(() => undefined);
    }
  }, [narrow, asked, client, form, context]);
}
