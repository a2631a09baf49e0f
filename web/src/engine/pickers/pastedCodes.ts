import { decimalOrZero } from '../../lib/decimal';
import { isTable, parseTsv } from '../lines/tsv';

/** A row of a spreadsheet pasted into a picker: a code, and how much of it, if it says so. */
export interface PastedCode {
  code: string;
  quantity: string;
}

/** The rows of a paste, equal codes added up; none where it is but a text. */
export function parsePastedCodes(text: string): PastedCode[] {
  const matrix = parseTsv(text);
  if (!isTable(matrix)) return [];
  const rows = new Map<string, string>();
  for (const [code = '', quantity = ''] of matrix) {
    const amount = decimalOrZero(quantity);
    // Headings have no number in the second column.
    if (code === '' || (quantity !== '' && amount.isZero())) continue;
    rows.set(code, quantity === '' ? (rows.get(code) ?? '') : decimalOrZero(rows.get(code)).plus(amount).toString());
  }
  return [...rows].map(([code, quantity]) => ({ code, quantity }));
}
