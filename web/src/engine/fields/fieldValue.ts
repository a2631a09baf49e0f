import { isMasked, MASK } from '../../lib/decimal';
import { formatMoney, MONTH_FORMAT, formatNumber, formatPrice, formatQuantity } from '../../lib/format';
import { isNumberType } from '../../lib/validation';
import type { Field, Row } from '../types';

const FILE_URL_PREFIX = '/v2/open/Upload/getFile?name=';

/** A field's value as text, in lists, grids, details and print. */
export function formatField(field: Field, row: Row): string {
  const value = row[field.name];
  if (isMasked(value)) return MASK;
  if (field.type === 'ref') return refLabel(field, row);
  if (value === null || value === undefined || value === '') return '';
  switch (field.type) {
    case 'money':
      return formatMoney(value);
    case 'price':
      return formatPrice(value);
    case 'rate':
      // What was typed in stands as typed; what is computed lines up in its column.
      return field.form ? formatQuantity(value) : formatNumber(value, 2);
    case 'quantity':
      return formatQuantity(value);
    case 'bool':
      return value === true || value === 1 || value === '1' ? '是' : '否';
    case 'enum':
      return (
        field.options?.find((option) => String(option.value) === String(value))?.label ??
        (String(value) === '0' ? '全部' : '未知')
      );
    case 'date':
      return field.span === 'month' ? String(value).slice(0, MONTH_FORMAT.length) : String(value);
    case 'password':
      return '';
    case 'image':
      return `${parseFiles(field, row).length}个文件`;
    default:
      return String(value);
  }
}

/**
 * Return a reference's label: the value of the books, else the name stored beside the id, else the id; an id of 0 is
 * empty.
 */
function refLabel(field: Field, row: Row): string {
  const labels = [field.told_by, field.label_field].map((name) => (name ? row[name] : null));
  const label = labels.find((text) => text !== null && text !== undefined && text !== '');
  if (label !== undefined) return String(label);
  const value = row[field.name];
  return isEmptyRef(value) ? '' : String(value);
}

export function isEmptyRef(value: unknown): boolean {
  return value === null || value === undefined || value === '' || value === 0 || value === '0';
}

export function isEmptyValue(field: Field, value: unknown): boolean {
  return field.type === 'ref' ? isEmptyRef(value) : value === null || value === undefined || value === '';
}

/** The uploaded files that a field holds by their random names; none where they may not be seen. */
export function parseFiles(field: Field, row: Row): { url: string; name: string }[] {
  const value = row[field.name];
  if (typeof value !== 'string' || value === '' || isMasked(value)) return [];
  return value.split(',').map((name, at) => ({
    url: `${FILE_URL_PREFIX}${name}`,
    name: `${field.label}${at + 1}.${name.split('.').pop() ?? ''}`,
  }));
}

/** Join the files' names into a field's value. */
export function joinFileNames(files: readonly { url: string }[]): string | null {
  return files.map(({ url }) => url.slice(url.indexOf('name=') + 5)).join(',') || null;
}

export function isRightAligned(field: Field): boolean {
  return isNumberType(field.type);
}
