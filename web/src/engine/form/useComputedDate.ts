import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useStore } from '../../lib/store';
import { isWritable } from '../fields/fieldRules';
import { isEmptyValue } from '../fields/fieldValue';
import { dueQuery } from '../queries';
import type { Row, Screen } from '../types';
import type { FormModel } from './formModel';

/** Says beside an empty due date which day it will be, by the partner's terms and the bill's date, until one is typed. */
export function useComputedDate(screen: Screen, form: FormModel): void {
  const client = useQueryClient();
  const field = screen.fields.find((one) => one.typed_in && isWritable(one));
  const asked = useStore(form.header, ({ values }) => (field && isEmptyValue(field, values[field.name]) ? basisOf(values) : ''));
  useEffect(() => {
    if (!field || asked === '') return undefined;
    let stale = false;
    const [date = '', partner = ''] = asked.split(' ');
    const tell = (told: string | null) => {
      if (stale) return;
      form.header.set((before) => {
        const others = Object.fromEntries(Object.entries(before.hints).filter(([name]) => name !== field.name));
        return { ...before, hints: told === null ? others : { ...others, [field.name]: `不填则为 ${told}` } };
      });
    };
    void client
      .fetchQuery(dueQuery(screen.name, date, Number(partner)))
      .then(({ due_date: due }) => tell(due))
      // The date is computed all the same.
      .catch(() => tell(null));
    return () => {
      stale = true;
    };
  }, [asked, field, screen.name, form, client]);
}

/** What the day follows from; nothing before both are known. */
function basisOf(values: Row): string {
  const partner = values.customer_id ?? values.supplier_id;
  return values.business_date && partner ? `${values.business_date} ${partner}` : '';
}
