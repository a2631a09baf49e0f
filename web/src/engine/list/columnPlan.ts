import { useCallback, useMemo, useState } from 'react';
import { cancelPendingSave, removePreference, savePreferenceDebounced } from '../../lib/preferences';
import { readSlot, removeSlot, writeSlot } from '../../lib/localStorageSlot';
import type { Field } from '../types';

/** The user's own order, widths and choice of columns. */
interface ColumnPlan {
  order: string[];
  hidden: string[];
  widths: Record<string, number>;
}

/** A column being dragged is saved once it stands. */
const SAVE_DELAY = 1500;
const EMPTY_PLAN: ColumnPlan = { order: [], hidden: [], widths: {} };

export interface PlannedColumn {
  field: Field;
  width: number;
  visible: boolean;
}

/** Fields in the user's order; ones the plan doesn't know yet stand where the server put them, optional ones hidden. */
export function applyPlan(fields: Field[], plan: ColumnPlan): PlannedColumn[] {
  const rank = new Map(plan.order.map((name, index) => [name, index]));
  const known = fields.filter((field) => rank.has(field.name)).sort((a, b) => rank.get(a.name)! - rank.get(b.name)!);
  const ordered = fields.map((field) => (rank.has(field.name) ? known.shift()! : field));
  return ordered.map((field) => ({
    field,
    width: plan.widths[field.name] ?? field.width,
    visible: !plan.hidden.includes(field.name) && (!field.optional || rank.has(field.name)),
  }));
}

export interface ColumnControl {
  columns: PlannedColumn[];
  resize: (name: string, width: number) => void;
  arrange: (order: string[], hidden: string[]) => void;
  reset: () => void;
}

/** Columns of one table, kept per user under `name`. */
export function useColumnPlan(name: string, fields: Field[]): ColumnControl {
  const slot = `columns:${name}`;
  const [plan, setPlan] = useState<ColumnPlan>(() => ({ ...EMPTY_PLAN, ...readSlot<ColumnPlan>(slot) }));
  const change = useCallback(
    (changes: (before: ColumnPlan) => ColumnPlan) =>
      setPlan((before) => {
        const next = changes(before);
        writeSlot(slot, next);
        savePreferenceDebounced('columns', name, 'columns', () => readSlot(slot), SAVE_DELAY);
        return next;
      }),
    [slot, name],
  );
  const columns = useMemo(() => applyPlan(fields, plan), [fields, plan]);
  return useMemo(
    () => ({
      columns,
      resize: (key, width) => change((before) => ({ ...before, widths: { ...before.widths, [key]: width } })),
      arrange: (order, hidden) => change((before) => ({ ...before, order, hidden })),
      reset: () => {
        removeSlot(slot);
        cancelPendingSave('columns', name, 'columns');
        removePreference('columns', name, 'columns').catch(() => undefined);
        setPlan(EMPTY_PLAN);
      },
    }),
    [columns, change, slot, name],
  );
}
