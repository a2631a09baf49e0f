import { useId, useState } from 'react';
import { FieldInput } from './fields/FieldInput';
import { buildRefQuery } from './lines/billContext';
import { isRef, type Field, type Row } from './types';

interface ActionFieldsProps {
  fields: Field[];
  /** Values shared by the selected rows; they narrow the choices. */
  row: Row;
  onChange: (values: Row) => void;
}

/** The fields whose values an action on chosen rows is sent with; nothing but the action may write some of them. */
export function ActionFields({ fields, row, onChange }: ActionFieldsProps) {
  const base = useId();
  const [values, setValues] = useState<Row>({});
  const change = (changes: Row) => {
    const next = { ...values, ...changes };
    setValues(next);
    onChange(next);
  };
  const shown = { ...row, ...Object.fromEntries(fields.map((field) => [field.name, null])), ...values };
  return fields
    .map((field) => ({ ...field, form: true, readonly: false }))
    .map((field) => (
      <div key={field.name} className="header-field" data-field={field.name}>
        <label htmlFor={base + field.name} className="required">
          {field.label}
        </label>
        <div className="header-control">
          <FieldInput
            id={base + field.name}
            field={field}
            row={shown}
            narrow={isRef(field) ? buildRefQuery(field, shown, {}) : undefined}
            onChange={change}
          />
        </div>
      </div>
    ));
}
