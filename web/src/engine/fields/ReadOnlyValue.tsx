import { Fragment } from 'react';
import { isMasked } from '../../lib/decimal';
import type { Field, Row } from '../types';
import { BillNumber } from './BillNumber';
import { formatField } from './fieldValue';

const SEPARATOR = '、';

/** A field's value to be read: numbers of other bills lead to them, what may not be seen is told apart. */
export function ReadOnlyValue({ field, row }: { field: Field; row: Row }) {
  const text = formatField(field, row);
  if (isMasked(text)) return <span className="masked">{text}</span>;
  if (!field.bill || text === '') return text;
  return text.split(SEPARATOR).map((no, at) => (
    <Fragment key={no}>
      {at > 0 && SEPARATOR}
      <BillNumber no={no} />
    </Fragment>
  ));
}
