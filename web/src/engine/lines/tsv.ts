/** Zero-width marks, which come with what is copied from chats and web pages. */
const ZERO_WIDTH_CHARS = /[\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g;

/** Cells copied from a spreadsheet: tabs and line ends, quotes around cells that hold either. */
export function parseTsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (char === '"' && cell === '') quoted = true;
    else if (char === '\t') {
      row.push(cell);
      cell = '';
    } else if (char === '\n' || char === '\r') {
      if (char === '\r' && text[i + 1] === '\n') i++;
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += char;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows.map((cells) => cells.map((one) => one.replace(ZERO_WIDTH_CHARS, '').trim()));
}

export function isTable(matrix: string[][]): boolean {
  return matrix.length > 1 || (matrix[0]?.length ?? 0) > 1;
}
