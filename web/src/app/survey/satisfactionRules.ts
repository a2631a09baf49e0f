/** 客户满意度调查: its rules (spec/1-shell.md 5), the same as the server's. */

export const CHOOSE_MESSAGE = '请选择';
export const SCORE_MESSAGE = '请输入0-100';
export const FILL_MESSAGE = '请填写';

export type SurveyAnswer = string | string[] | undefined;

export function isScore(value: SurveyAnswer): boolean {
  if (typeof value !== 'string' || value.trim() === '') return false;
  const score = Number(value);
  return Number.isFinite(score) && score >= 0 && score <= 100;
}

/** Describe what is wrong with an answer; null if nothing is. */
export function describeProblem(kind: string, value: SurveyAnswer): string | null {
  if (kind === 'multiple')
    return Array.isArray(value) && value.some((part) => part.trim() !== '') ? null : CHOOSE_MESSAGE;
  if (kind === 'score') return isScore(value) ? null : SCORE_MESSAGE;
  const given = typeof value === 'string' && value.trim() !== '';
  if (kind === 'single') return given ? null : CHOOSE_MESSAGE;
  return given ? null : FILL_MESSAGE;
}

/** Join several choices by commas, as the server expects them. */
export function joinAnswer(value: SurveyAnswer): string {
  return Array.isArray(value)
    ? value
        .map((part) => part.trim().replaceAll(',', '，'))
        .filter(Boolean)
        .join(',')
    : (value ?? '').trim();
}
