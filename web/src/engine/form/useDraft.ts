import dayjs from 'dayjs';
import { useCallback, useEffect, useRef, useState } from 'react';
import { DATETIME } from '../../lib/format';
import { readStored, removeStored, writeStored } from '../../lib/stored';
import type { Row } from '../types';
import type { FormModel } from './formModel';

/** A form as it stood; kept in this browser until it is saved, through errors, reloads and expired sessions. */
interface Draft {
  at: string;
  values: Row;
}

const DELAY = 800;

export function valuesOf(form: FormModel): Row {
  const blocks = form.blocks.map(({ block, store }) => [block.name, store.get().map((line) => line.values)]);
  return { ...form.header.get().values, ...Object.fromEntries(blocks) };
}

/** Keeps the form's draft under `name`; `found` is what an earlier visit left. */
export function useDraft(name: string, form: FormModel) {
  const slot = `draft:${name}`;
  const [found, setFound] = useState(() => readStored<Draft>(slot));
  const saved = useRef(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      timer = undefined;
      if (!saved.current) writeStored(slot, { at: dayjs().format(DATETIME), values: valuesOf(form) } satisfies Draft);
    };
    const later = () => {
      if (timer === undefined) timer = setTimeout(write, DELAY);
    };
    const stops = [form.header, ...form.blocks.map(({ store }) => store)].map((store) => store.subscribe(later));
    return () => {
      for (const stop of stops) stop();
      if (timer === undefined) return;
      clearTimeout(timer);
      write();
    };
  }, [form, slot]);
  const discard = useCallback(() => {
    removeStored(slot);
    setFound(null);
  }, [slot]);
  const settle = useCallback(() => {
    saved.current = true;
    discard();
  }, [discard]);
  return { found, discard, settle };
}
