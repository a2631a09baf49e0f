import { Button, Result } from 'antd';
import { useMemo, useState } from 'react';
import { isCancelled } from '../../lib/errors';
import { useQuery } from '../../lib/query';
import { formQuery } from '../queries';
import { ScreenLoading } from '../ScreenLoading';
import type { Screen } from '../types';
import { FormBody, NEW_DRAFT } from './FormBody';
import { buildCopiedValues, buildPresetValues, buildNewValues } from './formModel';

interface FormPageProps {
  screen: Screen;
  id: number | null;
  /** A bill to copy. */
  copyOf: number | null;
  /** A bill to draw from. */
  from: number | null;
  /** Type of the source bill, if there are several types. */
  sourceName?: string;
  /** Values that a link prefills in a new record, with the labels of its references. */
  presetValues?: Record<string, string>;
}

/** Adds or edits a record or bill, from nothing, a copy, or what is left of another bill. */
export default function FormPage({ screen, id, copyOf, from, sourceName, presetValues: given }: FormPageProps) {
  const [round, setRound] = useState(0);
  const source = from ?? id ?? copyOf;
  const stored = useQuery({
    ...formQuery(screen, source ?? 0, from !== null, sourceName),
    enabled: source !== null && round === 0,
  });
  const values = useMemo(() => {
    if (round > 0) return buildNewValues(screen);
    if (source === null) return { ...buildNewValues(screen), ...buildPresetValues(screen, given) };
    if (!stored.data) return null;
    if (copyOf !== null) return buildCopiedValues(screen, stored.data);
    return from === null ? stored.data : { ...buildNewValues(screen), ...stored.data };
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
      draftKey={round > 0 ? NEW_DRAFT : (buildDraftKey(id, copyOf, from, sourceName) ?? buildPresetKey(screen, given))}
      onNext={() => setRound(round + 1)}
    />
  );
}

/** Build the draft key: a new bill, each edited one, a copy and a drawn bill have separate drafts. */
function buildDraftKey(id: number | null, copyOf: number | null, from: number | null, sourceName = ''): string | null {
  if (id !== null) return String(id);
  if (copyOf !== null) return `copy${copyOf}`;
  return from === null ? null : `from${sourceName}${from}`;
}

/** Build the draft key of a record prefilled by a link. */
function buildPresetKey(screen: Screen, given?: Record<string, string>): string {
  const values = Object.entries(buildPresetValues(screen, given)).filter(([name]) => given?.[name] !== undefined);
  return values.length === 0 ? NEW_DRAFT : values.map(([name, value]) => `${name}${String(value)}`).join();
}
