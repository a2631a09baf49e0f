import { Input } from 'antd';
import { useState } from 'react';
import { showMessage } from '../../lib/errors';
import { DECIMALS, enterNumber, labelled, limitNumber, type NumberKind } from '../../lib/validation';

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
  const settle = () => {
    if (typed === null) return;
    const entry = enterNumber(typed, kind, 'form');
    if (entry.problem !== null) showMessage('warning', labelled(label, entry.problem));
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
        setTyped(isComposing(event.nativeEvent) ? text : limitNumber(text, DECIMALS[kind.type]));
      }}
      onCompositionEnd={(event) => setTyped(limitNumber(event.currentTarget.value, DECIMALS[kind.type]))}
      onBlur={settle}
      onPressEnter={settle}
    />
  );
}

function isComposing(event: Event): boolean {
  return event instanceof InputEvent && event.isComposing;
}
