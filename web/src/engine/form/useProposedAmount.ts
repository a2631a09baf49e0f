import { useEffect } from 'react';
import { decimalOrZero, MASK, sumDecimals } from '../../lib/decimal';
import { isWritable } from '../fields/fieldRules';
import type { Screen } from '../types';
import type { FormModel } from './formModel';

const HINT = '按所选单据合计，可修改';

/** A receipt's or payment's amount is what the items chosen to settle come to, until somebody types one. */
export function useProposedAmount(screen: Screen, form: FormModel): void {
  useEffect(() => {
    const stops = form.blocks.map(({ block: { source }, store }) => {
      const field = screen.fields.find((one) => one.name === source?.takes);
      if (!source || source.drawn || !field || !isWritable(field)) return undefined;
      return store.subscribe(() => {
        const lines = store.get();
        const sum = sumDecimals(lines.map((line) => line.values[source.takes]));
        if (sum === MASK) return;
        form.header.set((before) => {
          const { values, problems, hints } = before;
          const typed = !(field.name in hints) && !decimalOrZero(values[field.name]).isZero();
          const next = lines.length > 0 ? sum.toFixed(2) : null;
          if (typed || next === values[field.name]) return before;
          const others = Object.fromEntries(Object.entries(problems).filter(([name]) => name !== field.name));
          return {
            ...before,
            values: { ...values, [field.name]: next },
            problems: others,
            hints: next === null ? {} : { [field.name]: HINT },
          };
        });
      });
    });
    return () => stops.forEach((stop) => stop?.());
  }, [screen, form]);
}
