import { describe, expect, it } from 'vitest';
import { joinAnswer, describeProblem } from './satisfactionRules';

describe('satisfaction survey (spec/1-shell.md 5)', () => {
  it('q1, q3, q4 required single choices (message 请选择)', () => {
    expect([describeProblem('single', undefined), describeProblem('single', '满意')]).toEqual(['请选择', null]);
  });

  it('q2 and q5 required multi-choice arrays (请选择); on submit joined by commas', () => {
    expect([describeProblem('multiple', []), describeProblem('multiple', ['快'])]).toEqual(['请选择', null]);
    expect(joinAnswer(['快', '稳', ' 自己写,的 '])).toBe('快,稳,自己写，的');
  });

  it('q6: empty, not numeric or outside 0 to 100 gives 请输入0-100', () => {
    expect(['', '九', '-1', '101', '0', '100', '88.5'].map((value) => describeProblem('score', value))).toEqual([
      '请输入0-100',
      '请输入0-100',
      '请输入0-100',
      '请输入0-100',
      null,
      null,
      null,
    ]);
  });

  it('q7 required text (请填写)', () => {
    expect([describeProblem('text', ' '), describeProblem('text', '好')]).toEqual(['请填写', null]);
  });
});
