import { isMasked } from '../../lib/decimal';
import type { Field, Row } from '../types';
import { BillNumber } from './BillNumber';
import { fieldText } from './fieldValue';

/** A field's value to be read: another bill's number leads to it, what may not be seen is told apart. */
export function ShownValue({ field, row }: { field: Field; row: Row }) {
  const text = fieldText(field, row);
  if (isMasked(text)) return <span className="masked">{text}</span>;
  return field.bill && text !== '' ? <BillNumber no={text} /> : text;
}
