/** 客户满意度调查: its rules (spec/1-shell.md 5), the same as the server's. */

export const CHOOSE = '请选择';
export const SCORE = '请输入0-100';
export const FILL = '请填写';

export type Answer = string | string[] | undefined;

export function isScore(value: Answer): boolean {
  if (typeof value !== 'string' || value.trim() === '') return false;
  const score = Number(value);
  return Number.isFinite(score) && score >= 0 && score <= 100;
}

/** What is wrong with an answer; null when nothing is. */
export function problemOf(kind: string, value: Answer): string | null {
  if (kind === 'multiple') return Array.isArray(value) && value.some((part) => part.trim() !== '') ? null : CHOOSE;
  if (kind === 'score') return isScore(value) ? null : SCORE;
  const given = typeof value === 'string' && value.trim() !== '';
  if (kind === 'single') return given ? null : CHOOSE;
  return given ? null : FILL;
}

/** As it is sent: several choices joined by commas. */
export function joined(value: Answer): string {
  return Array.isArray(value) ? value.map((part) => part.trim().replaceAll(',', '，')).filter(Boolean).join(',') : (value ?? '').trim();
}
