import { useCallback, useState } from 'react';
import { savePreferenceLater } from '../../lib/preferences';
import { readStored, writeStored } from '../../lib/stored';
import { isWritable } from '../fields/fieldRules';
import type { Field, Screen } from '../types';

/** Where Enter stops in the head of a bill: what has to be filled in, and what the user has asked to be stopped at. */

const SAVED_AFTER = 1500;

export interface HeadStops {
  /** What may be asked for: the optional fields; none where Enter stops everywhere. */
  optional: Field[];
  asked: string[];
  isStop: (field: Field) => boolean;
  toggle: (name: string) => void;
}

/** A bill is keyed in by the hundred; a record of its own is gone through field by field. */
export function useHeadStops(screen: Screen): HeadStops {
  const place = `${screen.name}:head`;
  const slot = `columns:${place}`;
  const [asked, setAsked] = useState(() => readStored<{ stops?: string[] }>(slot)?.stops ?? []);
  const toggle = useCallback(
    (name: string) =>
      setAsked((before) => {
        const stops = before.includes(name) ? before.filter((one) => one !== name) : [...before, name];
        writeStored(slot, { stops });
        savePreferenceLater('columns', place, 'columns', () => readStored(slot), SAVED_AFTER);
        return stops;
      }),
    [slot, place],
  );
  const shown = screen.fields.filter((field) => field.form && !field.hidden && isWritable(field));
  const passes = screen.family === 'bill';
  return {
    optional: passes ? shown.filter((field) => !field.required) : [],
    asked,
    isStop: (field) => !passes || field.required || asked.includes(field.name),
    toggle,
  };
}
