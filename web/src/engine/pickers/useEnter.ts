import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { Query } from '../../lib/api';
import { useDebounced } from '../../lib/useDebounced';
import { isImeKey } from '../lines/gridState';
import { awaitChoice, canBeRead, warnAmbiguous } from './typedChoice';

/** The words typed into a picker, and whether they have been still for long enough to be asked about. */
export function usePickerSearch() {
  const [text, setText] = useState('');
  const [flushed, setFlushed] = useState<string | null>(null);
  const typed = text.trim();
  const still = useDebounced(typed);
  return {
    text,
    typed,
    settled: typed === '' || typed === still || typed === flushed,
    type: useCallback((next: string) => {
      setText(next);
      setFlushed(null);
    }, []),
    /** Asks at once. */
    flush: () => setFlushed(typed),
  };
}

interface EnterOptions<T> {
  open: boolean;
  /** Offered rows, matching the typed text. */
  rows: readonly T[];
  answered: boolean;
  typed: string;
  label: string;
  /** Filters of the choice. */
  narrow: Query;
  ask: (words: string) => Promise<T[]>;
  pick: (rows: T[], words: string) => T | undefined;
  /** Takes a row; `isHere` while the keyboard is still in the picker. */
  onTake: (row: T, isHere: boolean) => void;
  /** Enter waits for its answer, or wants the list to be seen. */
  onWait: () => void;
  /** Tab goes on without a choice. */
  onLeave: () => void;
  /** The list itself takes what is marked in it. */
  onMarked: () => void;
}

/**
 * Enter and Tab in an open picker, heard before the list hears of them. They take what is marked where it was marked by hand or
 * can have been read; else what the words name, as soon as that is known.
 */
export function useEnter<T>(entering: EnterOptions<T>) {
  const { open, rows, answered, typed } = entering;
  const shownAt = useRef(Infinity);
  const byHand = useRef(false);
  const pending = useRef<(() => void) | null>(null);
  // An answer that comes late is asked for, and taken, as things stand by then.
  const latest = useRef(entering);
  useLayoutEffect(() => {
    latest.current = entering;
  });
  const [first, count] = [rows[0], rows.length];
  useEffect(() => {
    shownAt.current = open && answered ? performance.now() : Infinity;
    byHand.current = false;
  }, [open, answered, typed, first, count]);
  const giveUp = useCallback(() => {
    pending.current?.();
    pending.current = null;
  }, []);
  useEffect(() => giveUp, [giveUp]);

  const wait = (input: EventTarget) => {
    const isHere = () => document.activeElement === input;
    const { label } = entering;
    entering.onWait();
    giveUp();
    const onRefuse = (why: string) => {
      pending.current = null;
      if (why === 'several' && !isHere()) warnAmbiguous(label, typed);
    };
    const onTake = (row: T) => {
      pending.current = null;
      latest.current.onTake(row, isHere());
    };
    const narrow = () => latest.current.narrow;
    const ask = () => latest.current.ask(typed);
    const pick = (some: T[]) => latest.current.pick(some, typed);
    pending.current = awaitChoice({ label, text: typed, narrow, ask, pick, onTake, onRefuse }).giveUp;
  };

  const onKey = (event: KeyboardEvent) => {
    const { key } = event;
    if (!open || isImeKey(event)) return;
    if (key === 'ArrowDown' || key === 'ArrowUp') byHand.current = count > 0;
    if (key !== 'Enter' && (key !== 'Tab' || event.shiftKey)) return;
    const leaves = key === 'Tab' && typed === '' && !byHand.current;
    const named = answered && typed !== '' && !byHand.current ? entering.pick([...rows], typed) : undefined;
    if (!named && !leaves && count > 0 && (byHand.current || canBeRead(shownAt.current))) return entering.onMarked();
    event.stopPropagation();
    if (leaves) return entering.onLeave();
    event.preventDefault();
    if (named) entering.onTake(named, true);
    else if (typed !== '') wait(event.target);
  };
  return { onKey, giveUp };
}
