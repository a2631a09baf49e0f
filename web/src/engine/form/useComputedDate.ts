import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useStore } from '../../lib/store';
import { isWritable } from '../fields/fieldRules';
import { isEmptyValue } from '../fields/fieldValue';
import { dueDateQuery } from '../queries';
import type { Row, Screen } from '../types';
import type { FormModel } from './formModel';

/** Says beside an empty due date which day it will be, by the partner's terms and the bill's date, until one is typed. */
export function useComputedDate(screen: Screen, form: FormModel): void {
  const client = useQueryClient();
  const field = screen.fields.find((one) => one.typed_in && isWritable(one));
  const basis = useStore(form.header, ({ values }) =>
    field && isEmptyValue(field, values[field.name]) ? buildDateBasis(values) : '',
  );
  useEffect(() => {
    if (!field || basis === '') return undefined;
    let stale = false;
    const [date = '', partner = ''] = basis.split(' ');
    const setHint = (told: string | null) => {
      if (stale) return;
      form.header.set((before) => {
        const others = Object.fromEntries(Object.entries(before.hints).filter(([name]) => name !== field.name));
        return { ...before, hints: told === null ? others : { ...others, [field.name]: `不填则为 ${told}` } };
      });
    };
    void client
      .fetchQuery(dueDateQuery(screen.name, date, Number(partner)))
      .then(({ due_date: due }) => setHint(due))
      // The date is computed all the same.
      .catch(() => setHint(null));
    return () => {
      stale = true;
    };
  }, [basis, field, screen.name, form, client]);
}

/** Return the key of the values that the due date depends on; empty before both are known. */
function buildDateBasis(values: Row): string {
  const partner = values.customer_id ?? values.supplier_id;
  return values.business_date && partner ? `${values.business_date} ${partner}` : '';
}
