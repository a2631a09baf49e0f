import { useCallback, useState } from 'react';
import type { Query } from '../../lib/api';
import { useQuery } from '../../lib/query';
import { readStored, writeStored } from '../../lib/stored';
import { chartQuery } from '../queries';
import type { Chart, Field, Screen } from '../types';

interface Choice {
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
  change: (changes: Partial<Choice>) => void;
}

/** Of the columns that a report is first summed up by the one that tells most. */
function summedBy(screen: Screen, query: Query): string | undefined {
  if (!screen.groups) return undefined;
  const [first = ''] = String(query[screen.groups.by] ?? '').split(',');
  return screen.groups.columns[first]?.at(-1);
}

/** What a list shows as a chart: the user's choice of figure and column, as far as the columns on screen allow it. */
export function useListChart(screen: Screen, listed: Field[], query: Query) {
  const slot = `chart:${screen.name}`;
  // Summed-up reports are looked at as pictures; elsewhere one asks for them.
  const [choice, setChoice] = useState<Choice>(() => ({
    ...{ shown: Boolean(screen.groups), axis: '', measure: '' },
    ...readStored<Choice>(slot),
  }));
  const among = (names: string[] = []) => names.flatMap((name) => listed.filter((field) => field.name === name && !field.masked));
  const [axes, measures] = [among(screen.chart?.axes), among(screen.chart?.measures)];
  const axis = axes.find(({ name }) => name === choice.axis) ?? axes.find(({ name }) => name === summedBy(screen, query)) ?? axes[0];
  const named = (wanted: string) => measures.find(({ name }) => name === wanted);
  const measure = named(choice.measure) ?? named(screen.order.key) ?? measures[0];
  const shown = choice.shown && axis !== undefined && measure !== undefined;
  const asked = useQuery({ ...chartQuery(screen, query, axis?.name ?? '', measure?.name ?? ''), enabled: shown });
  const { refetch } = asked;

  const change = (changes: Partial<Choice>) => {
    const next = { ...choice, ...changes };
    writeStored(slot, next);
    setChoice(next);
  };
  const chart: ListChart | null = shown ? { axes, measures, axis, measure, answer: asked.data, error: asked.error, change } : null;
  return {
    possible: axis !== undefined && measure !== undefined,
    chart,
    toggle: () => change({ shown: !choice.shown }),
    refetch: useCallback(() => shown && refetch(), [shown, refetch]),
  };
}
