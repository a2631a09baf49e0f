import dayjs from 'dayjs';
import { useCallback, useEffect, useRef, useState } from 'react';
import { DATETIME } from '../../lib/format';
import { forgetLater, listPreferences, removePreference, savePreferenceLater } from '../../lib/preferences';
import { useQuery } from '../../lib/query';
import { storedSlot } from '../../lib/stored';
import type { Row } from '../types';
import type { FormModel } from './formModel';

/**
 * A form as it stood; kept until it is saved, through errors, reloads and expired sessions. This browser's copy is
 * written first, the server's follows, so that the form can be gone on with elsewhere.
 */
export interface Draft {
  at: string;
  values: Row;
}

const DELAY = 800;
const TO_SERVER = 3000;

export function valuesOf(form: FormModel): Row {
  const blocks = form.blocks.map(({ block, store }) => [block.name, store.get().map((line) => line.values)]);
  return { ...form.header.get().values, ...Object.fromEntries(blocks) };
}

/**
 * Keeps the form's draft, as soon as what would be sent differs from what the form began with. Each record, copy and source
 * has its own (`which`); `found` is what an earlier visit left of it, here or in another browser.
 */
export function useDraft(screen: string, which: string, form: FormModel, content: () => string) {
  const [slot] = useState(() => storedSlot(`draft:${screen}:${which}`));
  const [local, setLocal] = useState(() => slot.read<Draft>());
  const [dismissed, setDismissed] = useState(false);
  const [beginning] = useState(content);
  const [began] = useState(() => dayjs().format(DATETIME));
  const saved = useRef(false);
  const elsewhere = useQuery({
    queryKey: ['draft', screen, which],
    queryFn: () => listPreferences<Draft>('draft', screen, which),
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  }).data?.[0]?.value;
  // What this very visit has sent is no find.
  const remote = elsewhere && elsewhere.at < began ? elsewhere : null;

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      timer = undefined;
      if (saved.current || content() === beginning) return;
      slot.write({ at: dayjs().format(DATETIME), values: valuesOf(form) } satisfies Draft);
      savePreferenceLater('draft', screen, which, () => slot.read<Draft>(), TO_SERVER);
    };
    const later = () => {
      if (timer === undefined) timer = setTimeout(write, DELAY);
    };
    // What has been taken up again is kept as well, before anything more is typed: where it came from, it is no more.
    write();
    const stops = [form.header, ...form.blocks.map(({ store }) => store)].map((store) => store.subscribe(later));
    return () => {
      for (const stop of stops) stop();
      if (timer === undefined) return;
      clearTimeout(timer);
      write();
    };
  }, [form, slot, content, beginning, screen, which]);

  const newer = [local, remote].filter((draft) => draft !== null && draft !== undefined).sort((a, b) => (a.at < b.at ? 1 : -1))[0];
  /** After a recall the draft stays kept until the form is saved. */
  const dismiss = useCallback(() => setDismissed(true), []);
  const discard = useCallback(() => {
    slot.remove();
    forgetLater('draft', screen, which);
    removePreference('draft', screen, which).catch(() => undefined);
    setLocal(null);
    setDismissed(true);
  }, [slot, screen, which]);
  const settle = useCallback(() => {
    saved.current = true;
    discard();
  }, [discard]);
  const touched = useCallback(() => content() !== beginning, [content, beginning]);
  return { found: dismissed ? null : (newer ?? null), touched, dismiss, discard, settle };
}
