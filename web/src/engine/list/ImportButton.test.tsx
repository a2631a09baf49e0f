import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen } from '../fixtures';
import { stubElementSizes, okAnswer, pressButton, renderPage } from '../harness';
import { ImportButton } from './ImportButton';

const prices = buildBillScreen({ label: '销售价格', api: 'v2/sales/SalesPrice' });
const preview = {
  columns: ['公司'],
  ignored: [],
  rows: [{ row: 2, cells: ['甲'] }],
  total: 1,
  checked: 1,
  refused: 0,
  problems: [],
};
const imported = { added: 1, changed: 2, refused: 1, failures: btoa('book') };

let view: ReturnType<typeof renderPage>;
const done = vi.fn();
beforeEach(stubElementSizes);
afterEach(() => {
  view.done();
  vi.restoreAllMocks();
});

describe('an import', () => {
  it('is looked at, entered, and gives the failed rows back', async () => {
    view = renderPage(<ImportButton screen={prices} onDone={done} />, {
      [`${prices.api}/previewImport`]: () => okAnswer(preview),
      [`${prices.api}/import`]: () => okAnswer(imported),
    });
    await pressButton('导入');
    const file = new File(['x'], '价格.xlsx');
    fireEvent.change(await screen.findByLabelText('选择销售价格文件'), { target: { files: [file] } });
    expect(await screen.findByText('甲')).toBeTruthy();
    expect(done).not.toHaveBeenCalled();
    await pressButton('确定上传');
    expect(await screen.findByText('新增 1 行，更新 2 行，失败 1 行')).toBeTruthy();
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x');
    vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
    await pressButton('下载失败明细');
    expect((saved.mock.calls[0]?.[0] as Blob).size).toBe(4);
  });

  // docs/specification.md#88
  it('1-shell 4: closes on success', async () => {
    view = renderPage(<ImportButton screen={prices} onDone={done} />, {
      [`${prices.api}/previewImport`]: () => okAnswer(preview),
      [`${prices.api}/import`]: () => okAnswer({ ...imported, refused: 0, failures: '' }),
    });
    await pressButton('导入');
    fireEvent.change(await screen.findByLabelText('选择销售价格文件'), {
      target: { files: [new File(['x'], '价格.xlsx')] },
    });
    await screen.findByText('甲');
    await pressButton('确定上传');
    await waitFor(() =>
      expect(view.told.at(-1)).toMatchObject({ level: 'success', msg: '新增 1 行，更新 2 行，失败 0 行' }),
    );
    await waitFor(() => expect(screen.queryByLabelText('选择销售价格文件')).toBeNull());
  });

  it('asks about the first rows that are likely there already', async () => {
    const doubts = Array.from({ length: 5 }, (_, at) => ({ row: at + 2, msg: `与客户“甲${at}”名称相近` }));
    view = renderPage(<ImportButton screen={prices} onDone={done} />, {
      [`${prices.api}/previewImport`]: () => okAnswer({ ...preview, doubted: 7, doubts }),
    });
    await pressButton('导入');
    fireEvent.change(await screen.findByLabelText('选择销售价格文件'), {
      target: { files: [new File(['x'], '价格.xlsx')] },
    });
    expect(await screen.findByText('7 行疑似与已有资料重复，请核对；确定上传则按新资料录入')).toBeTruthy();
    expect(screen.getAllByText(/名称相近/).map((one) => one.textContent)).toEqual(
      doubts.map(({ row, msg }) => `第${row}行 ${msg}`),
    );
  });
});
