import { Button, Result } from 'antd';
import { useMemo, useState } from 'react';
import { isCancelled } from '../../lib/errors';
import { useQuery } from '../../lib/query';
import { formQuery } from '../queries';
import { ScreenLoading } from '../ScreenLoading';
import type { Screen } from '../types';
import { FormBody, FRESH } from './FormBody';
import { copiedValues, givenValues, newValues } from './formModel';

interface FormPageProps {
  screen: Screen;
  id: number | null;
  /** A bill to copy. */
  copyOf: number | null;
  /** A bill to draw from. */
  from: number | null;
  /** Which type of bill that is, where there are several. */
  sourceName?: string;
  /** What a link fills a new record in with, beside the labels of its references. */
  given?: Record<string, string>;
}

/** Adds or edits a record or bill, from nothing, a copy, or what is left of another bill. */
export default function FormPage({ screen, id, copyOf, from, sourceName, given }: FormPageProps) {
  const [round, setRound] = useState(0);
  const source = from ?? id ?? copyOf;
  const stored = useQuery({ ...formQuery(screen, source ?? 0, from !== null, sourceName), enabled: source !== null && round === 0 });
  const values = useMemo(() => {
    if (round > 0) return newValues(screen);
    if (source === null) return { ...newValues(screen), ...givenValues(screen, given) };
    if (!stored.data) return null;
    if (copyOf !== null) return copiedValues(screen, stored.data);
    return from === null ? stored.data : { ...newValues(screen), ...stored.data };
  }, [source, round, screen, stored.data, copyOf, from, given]);

  if (values === null && stored.error && !isCancelled(stored.error)) {
    return (
      <Result
        status="warning"
        title="单据加载失败"
        subTitle={stored.error.message}
        extra={<Button onClick={() => void stored.refetch()}>重试</Button>}
      />
    );
  }
  if (values === null) return <ScreenLoading />;
  return (
    <FormBody
      key={round}
      screen={screen}
      id={round === 0 ? id : null}
      initial={values}
      which={round > 0 ? FRESH : (whichDraft(id, copyOf, from, sourceName) ?? whichGiven(screen, given))}
      onNext={() => setRound(round + 1)}
    />
  );
}

/** Drafts of a new bill, of each edited one, of a copy and of a bill drawn from another don't mix. */
function whichDraft(id: number | null, copyOf: number | null, from: number | null, sourceName = ''): string | null {
  if (id !== null) return String(id);
  if (copyOf !== null) return `copy${copyOf}`;
  return from === null ? null : `from${sourceName}${from}`;
}

/** Nor does one that a link began. */
function whichGiven(screen: Screen, given?: Record<string, string>): string {
  const values = Object.entries(givenValues(screen, given)).filter(([name]) => given?.[name] !== undefined);
  return values.length === 0 ? FRESH : values.map(([name, value]) => `${name}${String(value)}`).join();
}
