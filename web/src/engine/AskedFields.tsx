import { useId, useState } from 'react';
import { FieldInput } from './fields/FieldInput';
import { refNarrow } from './lines/billContext';
import { isRef, type Field, type Row } from './types';

interface AskedFieldsProps {
  fields: Field[];
  /** What the chosen rows share; it narrows the choices. */
  row: Row;
  onChange: (values: Row) => void;
}

/** The fields whose values an action on chosen rows is sent with; nothing but the action may write some of them. */
export function AskedFields({ fields, row, onChange }: AskedFieldsProps) {
  const base = useId();
  const [values, setValues] = useState<Row>({});
  const change = (changes: Row) => {
    const next = { ...values, ...changes };
    setValues(next);
    onChange(next);
  };
  const shown = { ...row, ...Object.fromEntries(fields.map((field) => [field.name, null])), ...values };
  return fields.map((field) => ({ ...field, form: true, readonly: false })).map((field) => (
    <div key={field.name} className="header-field" data-field={field.name}>
      <label htmlFor={base + field.name} className="required">
        {field.label}
      </label>
      <div className="header-control">
        <FieldInput id={base + field.name} field={field} row={shown} narrow={isRef(field) ? refNarrow(field, shown, {}) : undefined} onChange={change} />
      </div>
    </div>
  ));
}
