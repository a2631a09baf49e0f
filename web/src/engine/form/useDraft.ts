import dayjs from 'dayjs';
import { useCallback, useEffect, useRef, useState } from 'react';
import { DATETIME } from '../../lib/format';
import { storedSlot } from '../../lib/stored';
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

/**
 * Keeps the form's draft under `name`, as soon as what would be sent differs from what the form began with; `found` is
 * what an earlier visit left.
 */
export function useDraft(name: string, form: FormModel, content: () => string) {
  const [slot] = useState(() => storedSlot(`draft:${name}`));
  const [found, setFound] = useState(() => slot.read<Draft>());
  const [beginning] = useState(content);
  const saved = useRef(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      timer = undefined;
      if (saved.current || content() === beginning) return;
      slot.write({ at: dayjs().format(DATETIME), values: valuesOf(form) } satisfies Draft);
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
  }, [form, slot, content, beginning]);
  /** After a recall the draft stays kept until the form is saved. */
  const dismiss = useCallback(() => setFound(null), []);
  const discard = useCallback(() => {
    slot.remove();
    setFound(null);
  }, [slot]);
  const settle = useCallback(() => {
    saved.current = true;
    discard();
  }, [discard]);
  return { found, dismiss, discard, settle };
}
