import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FieldInput } from '../fields/FieldInput';
import { formatField, parseFiles, joinFileNames } from '../fields/fieldValue';
import { buildField } from '../fixtures';
import { stubElementSizes, okAnswer, renderPage } from '../harness';
import type { Row } from '../types';
import FileLinks from './FileLinks';

const papers = buildField({ name: 'papers', label: '证照', type: 'image', scene: 'contract' });
const row: Row = { papers: 'one.png,two.pdf' };
const kept = vi.fn();
let view: ReturnType<typeof renderPage> | undefined;

function Form({ readonly }: { readonly: boolean }) {
  const [values, setValues] = useState<Row>(row);
  const change = (changes: Row) => {
    kept(changes.papers);
    setValues((old) => ({ ...old, ...changes }));
  };
  return <FieldInput id="papers" field={{ ...papers, readonly }} row={values} onChange={change} />;
}

function open(readonly = false) {
  view = renderPage(<Form readonly={readonly} />, {
    'v2/open/Upload/uploadImg': () => okAnswer('/v2/open/Upload/getFile?name=new.png'),
    'v2/open/Upload/getFile': () => okAnswer(null),
  });
}

beforeEach(() => {
  stubElementSizes();
});
afterEach(() => {
  view?.done();
  kept.mockClear();
});

describe('files of a record', () => {
  it('are kept by their names and told by their number', () => {
    expect(parseFiles(papers, row).map(({ name }) => name)).toEqual(['证照1.png', '证照2.pdf']);
    expect(joinFileNames(parseFiles(papers, row))).toBe('one.png,two.pdf');
    expect(joinFileNames([])).toBeNull();
    expect(formatField(papers, row)).toBe('2个文件');
    expect(parseFiles(papers, { papers: '无权限' })).toEqual([]);
  });

  it('one that is uploaded joins them', async () => {
    open();
    const input = await screen.findByLabelText('选择证照');
    await act(async () => fireEvent.change(input, { target: { files: [new File(['x'], 'a.png')] } }));
    await waitFor(() => expect(kept).toHaveBeenLastCalledWith('one.png,two.pdf,new.png'));
    expect(view?.calls.find(({ path }) => path.endsWith('uploadImg'))?.body.scene).toBe('contract');
  });

  it('one that is taken off stays on the server, since the record holds it until it is saved', async () => {
    open();
    fireEvent.click(await screen.findByLabelText('删除证照1.png'));
    await waitFor(() => expect(kept).toHaveBeenLastCalledWith('two.pdf'));
    expect(view?.calls.some(({ path }) => path.includes('delReceiptImg'))).toBe(false);
  });

  it('are only looked at where they may not be changed', async () => {
    open(true);
    await screen.findByLabelText('查看证照2.pdf');
    expect(screen.queryByText('上传')).toBeNull();
    expect(screen.queryByLabelText('删除证照2.pdf')).toBeNull();
  });

  it('stand as links in a list', async () => {
    view = renderPage(<FileLinks field={papers} row={row} />, { 'v2/open/Upload/getFile': () => okAnswer(null) });
    fireEvent.click(screen.getByLabelText('查看证照1.png'));
    expect(await screen.findByRole('dialog')).toBeTruthy();
    expect(view?.calls.some(({ path, query }) => path.endsWith('getFile') && query.name === 'one.png')).toBe(true);
  });
});
