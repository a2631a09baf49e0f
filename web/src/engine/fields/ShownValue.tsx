import { Fragment } from 'react';
import { isMasked } from '../../lib/decimal';
import type { Field, Row } from '../types';
import { BillNumber } from './BillNumber';
import { fieldText } from './fieldValue';

const BETWEEN = '、';

/** A field's value to be read: numbers of other bills lead to them, what may not be seen is told apart. */
export function ShownValue({ field, row }: { field: Field; row: Row }) {
  const text = fieldText(field, row);
  if (isMasked(text)) return <span className="masked">{text}</span>;
  if (!field.bill || text === '') return text;
  return text.split(BETWEEN).map((no, at) => (
    <Fragment key={no}>
      {at > 0 && BETWEEN}
      <BillNumber no={no} />
    </Fragment>
  ));
}
