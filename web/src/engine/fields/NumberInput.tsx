import { Input } from 'antd';
import { useState } from 'react';
import { showMessage } from '../../lib/errors';
import { parseNumberEntry, filterKeys, keyFilterOf } from '../../lib/numberEntry';
import { DECIMALS, labelProblem, type NumberKind } from '../../lib/validation';

interface NumberInputProps {
  kind: NumberKind;
  value: unknown;
  label: string;
  id?: string;
  disabled?: boolean;
  status?: 'error';
  onChange: (value: string) => void;
}

/** A decimal typed as text; checked and rounded when left. */
export function NumberInput({ kind, value, label, id, disabled, status, onChange }: NumberInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  // A whole number takes decimals as well, to round them or to say that they don't fit.
  const filtered = (text: string) => filterKeys(text, keyFilterOf(kind), DECIMALS[kind.type] || undefined);
  const commit = () => {
    if (typed === null) return;
    const entry = parseNumberEntry(typed, kind, 'form');
    if (entry.problem !== null) showMessage('warning', labelProblem(label, entry.problem));
    setTyped(null);
    onChange(entry.value);
  };
  return (
    <Input
      id={id}
      className="field-control number-input"
      aria-label={label}
      inputMode="decimal"
      autoComplete="off"
      disabled={disabled}
      status={status}
      placeholder={`请输入${label}`}
      value={typed ?? (value === null || value === undefined ? '' : String(value))}
      onFocus={(event) => event.target.select()}
      onChange={(event) => {
        const text = event.target.value;
        setTyped(isComposingEvent(event.nativeEvent) ? text : filtered(text));
      }}
      onCompositionEnd={(event) => setTyped(filtered(event.currentTarget.value))}
      onBlur={commit}
      onPressEnter={commit}
    />
  );
}

function isComposingEvent(event: Event): boolean {
  return event instanceof InputEvent && event.isComposing;
}
