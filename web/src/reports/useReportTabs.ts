/**
 * Tabs of a report and their filters. Filters are carried from tab to tab where they mean the same; the address holds
 * the present tab and filters.
 */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Frame, FrameTab } from '@/gen';
import { usePageActive } from '@/lib/tabs';
import { readDefaultFilters } from './FilterSets';
import { carryFilters, diffFilters, buildSearch, type AddressState } from './frameAddress';
import { readFilterValues, type DataMask, type FilterValues } from './frameFilters';
import type { FramePort } from './framePort';
import type { FrameValues } from './frameQuery';

const CHECK_INTERVAL = 1_000;
const CHECK_TIMEOUT = 900;
/** Whoever turns to another tab doesn't wait longer for a frame to tell its filters. */
const SWITCH_TIMEOUT = 200;

/** Filters that were chosen by name, or came along from another tab; each choice opens the frame anew. */
interface AppliedFilters {
  filters: FilterValues;
  times: number;
}

export interface ReportTabs {
  chosen: string;
  choose: (key: string) => void;
  /** Filters that a tab's frame opens on. */
  initialFilters: (tab: FrameTab) => FilterValues;
  /** Number of times that a tab was reopened with the reader's filters. */
  countApplied: (tab: FrameTab) => number;
  apply: (tab: FrameTab, filters: FilterValues) => void;
  port: (tab: FrameTab) => FramePort | null;
  setPort: (tab: FrameTab, port: FramePort | null) => void;
}

export function useReportTabs(frame: Frame, values: FrameValues, addressState: AddressState): ReportTabs {
  const active = usePageActive();
  const [stoodIn] = useState(() => frame.tabs.find(({ key }) => key === addressState.tab)?.key ?? frame.default_tab);
  const [chosen, setChosen] = useState(stoodIn);
  const [applied, setApplied] = useState<Partial<Record<string, AppliedFilters>>>({});
  const ports = useRef(new Map<string, FramePort | null>());
  /** What each tab was last seen to be filtered by. */
  const seen = useRef(new Map<string, FilterValues>());

  // Opened on what a link or an address says, it is not on the reader's own filters.
  const linked = Object.keys(values).length > 0 || addressState.filters !== null;
  const usual = (tab: FrameTab) => (linked ? {} : readDefaultFilters(frame.code, tab.key));
  const opensOn = (tab: FrameTab): FilterValues => {
    const own = applied[tab.key]?.filters ?? { ...usual(tab), ...(tab.key === stoodIn ? addressState.filters : {}) };
    return { ...tab.opens_with, ...own };
  };
  const filtersNow = (tab: FrameTab) => seen.current.get(tab.key) ?? opensOn(tab);

  const apply = (tab: FrameTab, filters: FilterValues) => {
    ports.current.set(tab.key, null);
    seen.current.set(tab.key, { ...tab.opens_with, ...filters });
    setApplied((before) => ({ ...before, [tab.key]: { filters, times: (before[tab.key]?.times ?? 0) + 1 } }));
  };

  /** A frame that is still opening does not know its filters, and is not asked. */
  const look = async (tab: FrameTab) => {
    const mask = await ports.current
      .get(tab.key)
      ?.ask<DataMask>('getDataMask', CHECK_TIMEOUT)
      .catch(() => null);
    if (mask && tab.filters.every(({ id }) => id in mask))
      seen.current.set(tab.key, readFilterValues(mask, tab.filters));
  };

  const say = (tab: FrameTab) => {
    if (window.location.pathname !== frame.route) return;
    const changed = diffFilters(filtersNow(tab), tab.opens_with);
    const byItself = Object.keys(changed).length === 0 && Object.keys(usual(tab)).length === 0;
    const search = buildSearch(
      values,
      byItself && tab.key === frame.default_tab ? null : tab.key,
      byItself ? null : changed,
    );
    // The shell's own router need not know: it would open the report anew.
    if (search !== window.location.search)
      window.history.replaceState(window.history.state, '', `${frame.route}${search}`);
  };

  const shown = frame.tabs.find(({ key }) => key === chosen) ?? frame.tabs[0];
  const attended = useEffectEvent((key: string) => {
    if (active && shown?.key === key) say(shown);
  });
  const attend = useEffectEvent(() => {
    if (shown && !document.hidden) void look(shown).then(() => attended(shown.key));
  });
  useEffect(() => {
    if (!active) return;
    attend();
    const timer = window.setInterval(() => attend(), CHECK_INTERVAL);
    return () => window.clearInterval(timer);
  }, [active, chosen]);

  const choose = async (key: string) => {
    const next = frame.tabs.find((tab) => tab.key === key);
    if (!next || !shown) return;
    await Promise.race([look(shown), new Promise((done) => window.setTimeout(done, SWITCH_TIMEOUT))]);
    const present = filtersNow(next);
    const wanted = carryFilters(filtersNow(shown), shown.filters, next.filters, present);
    if (Object.keys(diffFilters(wanted, present)).length > 0) apply(next, wanted);
    setChosen(key);
  };

  return {
    chosen,
    choose: (key) => void choose(key),
    initialFilters: opensOn,
    countApplied: (tab) => applied[tab.key]?.times ?? 0,
    apply,
    port: (tab) => ports.current.get(tab.key) ?? null,
    setPort: (tab, port) => ports.current.set(tab.key, port),
  };
}
