import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen } from '../fixtures';
import { findButton, stubElementSizes, okAnswer, pressButton, renderPage, type FakeRoutes } from '../harness';
import { FileButtons } from './FileButtons';

const description = buildBillScreen({
  kind: 'see',
  files: [
    { name: 'getCountSheet', label: '盲盘表', way: 'download', query: { blind: '1' }, from: null },
    { name: 'importCountSheet', label: '导入盘点表', way: 'upload', query: {}, from: [1] },
  ],
});

let view: ReturnType<typeof renderPage>;
const open = (status: number, routes: FakeRoutes = {}) => {
  view = renderPage(<FileButtons screen={description} id={8} row={{ bill_id: 8, bill_no: 'KCPD8', status }} />, routes);
};

beforeEach(stubElementSizes);
afterEach(() => {
  view.done();
  vi.restoreAllMocks();
});

describe('files of a record', () => {
  it('gives a file under the record’s number', async () => {
    const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }));
    open(1);
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(url);
      return Promise.resolve(new Response('x'));
    });
    await pressButton('盲盘表');
    await waitFor(() => expect(saved).toHaveBeenCalled());
    expect(asked[0]).toContain(`${description.api}/getCountSheet?blind=1&id=8`);
    expect((saved.mock.contexts[0] as HTMLAnchorElement).download).toBe('KCPD8盲盘表.xlsx');
  });

  it('takes a file, and tells what is wrong in it', async () => {
    const answers = [okAnswer({ id: 8 }), { code: 400, msg: '表格第3行：序号与商品编码和盘点单不一致', data: null }];
    open(1, { [`${description.api}/importCountSheet`]: () => answers.shift()! });
    const give = () =>
      act(async () => {
        fireEvent.change(screen.getByLabelText('导入盘点表', { selector: 'input' }), {
          target: { files: [new File(['x'], 'a.xlsx')] },
        });
      });
    await give();
    await waitFor(() => expect(view.told).toMatchObject([{ level: 'success', msg: '导入盘点表成功' }]));
    expect(view.calls[0]?.body).toMatchObject({ id: '8' });
    await give();
    await waitFor(() =>
      expect(view.told[1]).toMatchObject({ level: 'error', msg: '表格第3行：序号与商品编码和盘点单不一致' }),
    );
  });

  it('takes one spreadsheet at a time, and nothing else (spec/3-rules.md 5.4)', async () => {
    open(1);
    const give = (...names: string[]) =>
      fireEvent.change(screen.getByLabelText('导入盘点表', { selector: 'input' }), {
        target: { files: names.map((name) => new File(['x'], name)) },
      });
    give('a.csv');
    expect(view.told.at(-1)).toMatchObject({ level: 'error', msg: '上传文件只能是 xls、xlsx格式!' });
    give('a.xlsx', 'b.xlsx');
    expect(view.told.at(-1)).toMatchObject({ level: 'error', msg: '一次只能上传一个文件！' });
    expect(view.calls).toEqual([]);
  });

  it('asks to try again when the network fails (spec/3-rules.md 8)', async () => {
    open(1, {
      [`${description.api}/importCountSheet`]: () => {
        throw new TypeError('offline');
      },
    });
    fireEvent.change(screen.getByLabelText('导入盘点表', { selector: 'input' }), {
      target: { files: [new File(['x'], 'A.XLS')] },
    });
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('上传失败，请重试！'));
  });

  it('takes none once the record is past it', () => {
    open(2);
    expect(findButton('盲盘表')).toBeDefined();
    expect(findButton('导入盘点表')).toBeUndefined();
  });
});
