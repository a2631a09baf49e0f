import { Input, Select, Spin, Switch } from 'antd';
import dayjs from 'dayjs';
import { lazy, Suspense } from 'react';
import { clearOnDelete, ALLOW_CLEAR } from '../../lib/clearOnDelete';
import type { Query } from '../../lib/api';
import { futureDatePresets } from '../../lib/businessClock';
import { DatePicker } from '../../lib/DatePicker';
import { DATE_FORMAT, DATETIME_FORMAT } from '../../lib/format';
import { isNumberType } from '../../lib/validation';
import { isRef, type Field, type Row } from '../types';
import { isWritable } from './fieldRules';
import { formatField } from './fieldValue';
import { NumberInput } from './NumberInput';
import { RefSelect } from './RefSelect';

const FilesInput = lazy(() => import('../upload/FilesInput'));

interface FieldInputProps {
  field: Field;
  row: Row;
  narrow?: Query;
  problem?: string;
  id: string;
  /** Changes of this field and of its label; `picked` is the chosen record of a reference. */
  onChange: (changes: Row, picked: Row | null) => void;
  /** A choice was made by the keyboard. */
  onKeyboardChoice?: () => void;
}

/** The input of one header field by its type; what may not be written is shown as text. */
export function FieldInput({
  field,
  row,
  narrow,
  problem,
  id,
  onChange,
  onKeyboardChoice: onEntered,
}: FieldInputProps) {
  const value = row[field.name];
  const status = problem ? ('error' as const) : undefined;
  const set = (next: unknown) => onChange({ [field.name]: next }, null);
  const common = { id, status, className: 'field-control', 'aria-label': field.label };
  if (field.type === 'image' && !field.masked) {
    return (
      <Suspense fallback={<Spin size="small" />}>
        <FilesInput field={field} row={row} onChange={isWritable(field) ? set : undefined} />
      </Suspense>
    );
  }
  if (!isWritable(field)) return <Input {...common} status={undefined} disabled value={formatField(field, row)} />;
  if (isRef(field)) {
    const labelField = field.label_field;
    return (
      <RefSelect
        field={field}
        id={id}
        status={status}
        value={value}
        label={labelField === null ? value : row[labelField]}
        narrow={narrow}
        onKeyboardChoice={onEntered}
        onChange={(next, label, picked) =>
          onChange(labelField === null ? { [field.name]: next } : { [field.name]: next, [labelField]: label }, picked)
        }
      />
    );
  }
  if (isNumberType(field.type)) {
    return (
      <NumberInput
        id={id}
        kind={{ ...field, type: field.type }}
        value={value}
        label={field.label}
        status={status}
        onChange={set}
      />
    );
  }
  switch (field.type) {
    case 'textarea':
      return (
        <Input.TextArea
          {...common}
          autoSize={{ minRows: 1, maxRows: 4 }}
          value={String(value ?? '')}
          onChange={(e) => set(e.target.value)}
        />
      );
    case 'password':
      return (
        <Input.Password
          {...common}
          autoComplete="new-password"
          value={String(value ?? '')}
          onChange={(e) => set(e.target.value)}
        />
      );
    case 'bool':
      return <Switch id={id} aria-label={field.label} checked={value === true} onChange={set} />;
    case 'enum':
      return (
        <Select
          {...common}
          allowClear={!field.required && ALLOW_CLEAR}
          onKeyDown={field.required ? undefined : clearOnDelete(() => set(null))}
          placeholder={`请选择${field.label}`}
          options={field.options ?? []}
          value={value ?? undefined}
          onChange={(next) => set(next ?? null)}
        />
      );
    case 'date':
    case 'datetime': {
      const format = field.type === 'date' ? DATE_FORMAT : DATETIME_FORMAT;
      return (
        <DatePicker
          {...common}
          showTime={field.type === 'datetime'}
          format={format}
          presets={field.happened ? undefined : futureDatePresets}
          allowClear={!field.required}
          value={value ? dayjs(String(value)) : null}
          onChange={(next) => set(next ? next.format(format) : null)}
        />
      );
    }
    default:
      return (
        <Input
          {...common}
          autoComplete="off"
          maxLength={field.max_length ?? undefined}
          placeholder={`请输入${field.label}`}
          value={String(value ?? '')}
          onChange={(e) => set(e.target.value)}
        />
      );
  }
}
