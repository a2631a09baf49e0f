import { useEffect, useRef } from 'react';
import { today, useClockValue } from '../../lib/businessClock';
import { showMessage } from '../../lib/errors';
import type { Row, Screen } from '../types';
import { changeHeader, defaultsToToday, type FormModel } from './formModel';

interface EntryDateOptions {
  touched: () => boolean;
  follow: (change: () => void) => void;
}

/** A new record that stays open over midnight is dated by the day on which it is saved: what was today is today again. */
export function useEntryDate(
  screen: Screen,
  form: FormModel,
  isNew: boolean,
  { touched, follow }: EntryDateOptions,
): void {
  const day = useClockValue(today);
  const before = useRef(day);
  useEffect(() => {
    const yesterday = before.current;
    before.current = day;
    if (!isNew || day === yesterday) return;
    const { values } = form.header.get();
    const moved = screen.fields.filter((field) => defaultsToToday(field) && values[field.name] === yesterday);
    if (moved.length === 0) return;
    if (touched()) showMessage('info', `已过零点，${moved.map(({ label }) => label).join('、')}改为 ${day}`);
    follow(() =>
      changeHeader(form, screen.fields, Object.fromEntries(moved.map(({ name }) => [name, day])) satisfies Row),
    );
  }, [day, isNew, screen, form, touched, follow]);
}
