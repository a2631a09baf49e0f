import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { now } from '../../lib/businessClock';
import { DATETIME_FORMAT } from '../../lib/format';
import { listPreferences } from '../../lib/preferences';
import { useQuery } from '../../lib/query';
import { uuid } from '../../lib/sign';
import { createStore } from '../../lib/store';
import type { Row } from '../types';
import { DraftStorage, parseDrafts, type Draft } from './draftStorage';
import type { FormModel } from './formModel';

const DRAFT_DELAY = 800;

export function collectValues(form: FormModel): Row {
  const blocks = form.blocks.map(({ block, store }) => [block.name, store.get().map((line) => line.values)]);
  return { ...form.header.get().values, ...Object.fromEntries(blocks) };
}

/**
 * Keeps the form's draft until it is saved, through errors, reloads and expired sessions, as soon as what would be sent differs
 * from what the form began with. Each record, copy and source has its own (`which`); `found` is the newest that another visit
 * left of it, here or in another browser.
 */
export function useDraft(screen: string, which: string, form: FormModel, content: () => string) {
  const [shelf] = useState(() => new DraftStorage(screen, which));
  const offered = useSyncExternalStore(shelf.subscribe, shelf.listOffered);
  // A form that was recalled is another: what had been typed before stays a draft of its own.
  const visit = useMemo(() => ({ form, key: uuid() }), [form]).key;
  const [beginning] = useState(() => createStore(content()));
  const saved = useRef(false);
  const elsewhere = useQuery({
    queryKey: ['draft', screen, which],
    queryFn: () => listPreferences('draft', screen, which),
    staleTime: Infinity,
    gcTime: 0,
    meta: { quiet: true },
  }).data?.[0]?.value;

  useEffect(() => {
    if (elsewhere !== undefined) shelf.setServerDrafts(parseDrafts(elsewhere));
  }, [shelf, elsewhere]);

  const touched = useCallback(() => content() !== beginning.get(), [content, beginning]);
  const keep = useCallback(() => {
    if (touched()) shelf.saveDraft({ visit, at: now().format(DATETIME_FORMAT), values: collectValues(form) });
  }, [touched, shelf, visit, form]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      timer = undefined;
      if (!saved.current) keep();
    };
    const later = () => {
      if (timer === undefined) timer = setTimeout(write, DRAFT_DELAY);
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
  }, [form, keep]);

  /** It is taken up or not wanted; what is typed by now waits for an answer of its own. */
  const answer = useCallback(
    (draft: Draft) => {
      keep();
      shelf.dismissDraft(draft.visit);
    },
    [keep, shelf],
  );
  const finish = useCallback(() => {
    saved.current = true;
    shelf.dismissDraft(visit);
  }, [shelf, visit]);
  /** What changes by itself is nothing typed: a form that nobody touched stays one. */
  const follow = useCallback(
    (change: () => void) => {
      const untouched = !touched();
      change();
      if (untouched) beginning.set(content);
    },
    [touched, beginning, content],
  );
  return { found: offered.find((draft) => draft.visit !== visit) ?? null, touched, answer, settle: finish, follow };
}
