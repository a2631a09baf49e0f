/** 操作版本 */
export const STANDARD = 1;
export const SIMPLE = 2;
