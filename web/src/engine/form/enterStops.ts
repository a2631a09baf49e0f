import { useCallback, useState } from 'react';
import { savePreferenceDebounced } from '../../lib/preferences';
import { readSlot, writeSlot } from '../../lib/localStorageSlot';
import { isWritable } from '../fields/fieldRules';
import type { Field, Screen } from '../types';

/** Stops of the Enter key in a bill's head: required fields, and optional fields that the user has chosen. */

const SAVE_DELAY = 1500;

export interface EnterStops {
  /** Optional fields that may be chosen as stops; empty where Enter stops everywhere. */
  optional: Field[];
  selected: string[];
  isStop: (field: Field) => boolean;
  toggle: (name: string) => void;
}

/** A bill is keyed in by the hundred; a record of its own is gone through field by field. */
export function useEnterStops(screen: Screen): EnterStops {
  const place = `${screen.name}:head`;
  const slot = `columns:${place}`;
  const [selected, setAsked] = useState(() => readSlot<{ stops?: string[] }>(slot)?.stops ?? []);
  const toggle = useCallback(
    (name: string) =>
      setAsked((before) => {
        const stops = before.includes(name) ? before.filter((one) => one !== name) : [...before, name];
        writeSlot(slot, { stops });
        savePreferenceDebounced('columns', place, 'columns', () => readSlot(slot), SAVE_DELAY);
        return stops;
      }),
    [slot, place],
  );
  const shown = screen.fields.filter((field) => field.form && !field.hidden && isWritable(field));
  const passes = screen.family === 'bill';
  return {
    optional: passes ? shown.filter((field) => !field.required) : [],
    selected,
    isStop: (field) => !passes || field.required || selected.includes(field.name),
    toggle,
  };
}
