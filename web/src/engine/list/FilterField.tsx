import { Input, Select, Space } from 'antd';
import dayjs, { type Dayjs } from 'dayjs';
import { datePresets } from '../../lib/businessClock';
import { clearOnDelete, ALLOW_CLEAR } from '../../lib/clearOnDelete';
import { DatePicker } from '../../lib/DatePicker';
import { DATE_FORMAT, MONTH_FORMAT } from '../../lib/format';
import { filterKeys } from '../../lib/numberEntry';
import { DECIMALS, isNumberType } from '../../lib/validation';
import { RefSelect } from '../fields/RefSelect';
import { isRef, type Field } from '../types';
import { labelKey, splitNames, joinNames } from './listState';

interface FilterFieldProps {
  field: Field;
  filters: Record<string, string>;
  onChange: (changes: Record<string, string>) => void;
}

const YES_NO_OPTIONS = [
  { value: '1', label: '是' },
  { value: '0', label: '否' },
];

const RANGE_PRESETS = datePresets('今天', '近7天', '本月', '上月', '近3个月');

/** One labelled search field: text, reference, choice, yes or no, a range of dates or numbers. */
export function FilterField({ field, filters, onChange }: FilterFieldProps) {
  return (
    <label className="filter-field">
      <span className="filter-label">{field.label}</span>
      <FilterControl field={field} filters={filters} onChange={onChange} />
    </label>
  );
}

function FilterControl({ field, filters, onChange }: FilterFieldProps) {
  const { name } = field;
  const value = filters[name] ?? '';
  if (isRef(field)) {
    const ids = value === '' ? [] : value.split(',').map(Number);
    // Bills of what is out of use are looked for as well.
    return (
      <RefSelect
        field={{ ...field, ref: { ...field.ref, disabled: true } }}
        multiple
        allowNone
        value={ids}
        label={splitNames(filters[labelKey(name)], ids.length)}
        onChange={(next, _label, _picked, names) =>
          onChange({ [name]: Array.isArray(next) ? next.join(',') : '', [labelKey(name)]: joinNames(names) })
        }
      />
    );
  }
  if (field.type === 'enum') {
    return (
      <Select
        mode="multiple"
        maxTagCount="responsive"
        allowClear={ALLOW_CLEAR}
        showSearch={{ optionFilterProp: 'label' }}
        onKeyDown={clearOnDelete(() => onChange({ [name]: '' }))}
        aria-label={field.label}
        placeholder="全部"
        options={field.options?.map((option) => ({ ...option, value: String(option.value) })) ?? []}
        value={value === '' ? [] : value.split(',')}
        onChange={(next: string[]) => onChange({ [name]: next.join(',') })}
      />
    );
  }
  if (field.type === 'bool') {
    return (
      <Select
        allowClear={ALLOW_CLEAR}
        onKeyDown={clearOnDelete(() => onChange({ [name]: '' }))}
        aria-label={field.label}
        placeholder="全部"
        options={YES_NO_OPTIONS}
        value={value || undefined}
        onChange={(next) => onChange({ [name]: next ?? '' })}
      />
    );
  }
  if (field.span === 'until') {
    const end = `${name}_end`;
    return (
      <DatePicker
        className="filter-range"
        aria-label={field.label}
        placeholder="今天"
        format={DATE_FORMAT}
        value={filters[end] ? dayjs(filters[end]) : null}
        onChange={(day) => onChange({ [end]: day?.format(DATE_FORMAT) ?? '' })}
      />
    );
  }
  if (field.type === 'date' || field.type === 'datetime')
    return <DateRange field={field} filters={filters} onChange={onChange} />;
  if (isNumberType(field.type)) {
    const decimals = DECIMALS[field.type];
    return (
      <Space.Compact>
        {(['start', 'end'] as const).map((end) => (
          <Input
            key={end}
            aria-label={`${field.label}${end === 'start' ? '起' : '止'}`}
            placeholder={end === 'start' ? '最小' : '最大'}
            value={filters[`${name}_${end}`] ?? ''}
            onChange={(event) => onChange({ [`${name}_${end}`]: filterKeys(event.target.value, 'signed', decimals) })}
          />
        ))}
      </Space.Compact>
    );
  }
  return (
    <Input
      allowClear
      aria-label={field.label}
      maxLength={100}
      value={value}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  );
}

function DateRange({ field, filters, onChange }: FilterFieldProps) {
  const [startName, endName] = [`${field.name}_start`, `${field.name}_end`];
  const day = (name: string) => (filters[name] ? dayjs(filters[name]) : null);
  const monthly = field.span === 'month';
  const toText = (day: Dayjs | null | undefined) => (monthly ? day?.startOf('month') : day)?.format(DATE_FORMAT) ?? '';
  return (
    <DatePicker.RangePicker
      className="filter-range"
      allowEmpty={[true, true]}
      aria-label={field.label}
      {...(monthly ? { picker: 'month', format: MONTH_FORMAT } : { format: DATE_FORMAT, presets: RANGE_PRESETS })}
      value={[day(startName), day(endName)]}
      onChange={(range) => onChange({ [startName]: toText(range?.[0]), [endName]: toText(range?.[1]) })}
    />
  );
}
