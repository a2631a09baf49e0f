/** Widths of the row number column and of the selection column (px). */
export const INDEX_WIDTH = 56;
export const SELECTION_WIDTH = 40;
