import { useCallback, useState } from 'react';
import type { Query } from '../../lib/api';
import { useQuery } from '../../lib/query';
import { readSlot, writeSlot } from '../../lib/localStorageSlot';
import { chartQuery } from '../queries';
import type { Chart, Field, Screen } from '../types';

interface ChartChoice {
  shown: boolean;
  axis: string;
  measure: string;
}

export interface ListChart {
  axes: Field[];
  measures: Field[];
  axis: Field;
  measure: Field;
  answer: Chart | undefined;
  error: Error | null;
  change: (changes: Partial<ChartChoice>) => void;
}

/** Return the most detailed column of the report's first grouping. */
function findSummaryColumn(screen: Screen, query: Query): string | undefined {
  if (!screen.groups) return undefined;
  const [first = ''] = String(query[screen.groups.by] ?? '').split(',');
  return screen.groups.columns[first]?.at(-1);
}

/** State of a list's chart: measure and axis as chosen by the user, as far as the visible columns allow. */
export function useListChart(screen: Screen, listed: Field[], query: Query) {
  const slot = `chart:${screen.name}`;
  // Summed-up reports are looked at as pictures; elsewhere one asks for them.
  const [choice, setChoice] = useState<ChartChoice>(() => ({
    ...{ shown: Boolean(screen.groups), axis: '', measure: '' },
    ...readSlot<ChartChoice>(slot),
  }));
  const among = (names: string[] = []) =>
    names.flatMap((name) => listed.filter((field) => field.name === name && !field.masked));
  const [axes, measures] = [among(screen.chart?.axes), among(screen.chart?.measures)];
  const axis =
    axes.find(({ name }) => name === choice.axis) ??
    axes.find(({ name }) => name === findSummaryColumn(screen, query)) ??
    axes[0];
  const named = (wanted: string) => measures.find(({ name }) => name === wanted);
  const measure = named(choice.measure) ?? named(screen.order.key) ?? measures[0];
  const shown = choice.shown && axis !== undefined && measure !== undefined;
  const chartResult = useQuery({ ...chartQuery(screen, query, axis?.name ?? '', measure?.name ?? ''), enabled: shown });
  const { refetch } = chartResult;

  const change = (changes: Partial<ChartChoice>) => {
    const next = { ...choice, ...changes };
    writeSlot(slot, next);
    setChoice(next);
  };
  const chart: ListChart | null = shown
    ? { axes, measures, axis, measure, answer: chartResult.data, error: chartResult.error, change }
    : null;
  return {
    possible: axis !== undefined && measure !== undefined,
    chart,
    toggle: () => change({ shown: !choice.shown }),
    refetch: useCallback(() => shown && refetch(), [shown, refetch]),
  };
}
