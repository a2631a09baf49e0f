import { describe, expect, it } from 'vitest';
import { fileProblem, isProcessing } from './steps';

describe('initialisation uploads (spec/1-shell.md 5)', () => {
  it('only xls or xlsx, else 上传文件只能是 xls、xlsx格式!', () => {
    const told = ['a.xlsx', 'A.XLS', 'a.csv', 'xlsx', 'a.xlsx.exe'].map((name) => fileProblem([{ name }]));
    const wrong = '上传文件只能是 xls、xlsx格式!';
    expect(told).toEqual([null, null, wrong, wrong, wrong]);
  });

  it('one file per upload, extra files give 一次只能上传一个文件！', () => {
    expect(fileProblem([{ name: 'a.xlsx' }, { name: 'b.xlsx' }])).toBe('一次只能上传一个文件！');
  });

  it('1, 3 and 5 are being processed (spec/1-shell.md 4)', () => {
    expect([0, 1, 2, 3, 4, 5, 6, undefined].filter(isProcessing)).toEqual([1, 3, 5]);
  });
});
