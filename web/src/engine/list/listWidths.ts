/** Of the column that counts the rows, and of that of their boxes (px). */
export const INDEX_WIDTH = 56;
export const SELECTION_WIDTH = 40;
