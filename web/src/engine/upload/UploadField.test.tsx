import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stubElementSizes, okAnswer, renderPage, type FakeRoutes } from '../harness';
import { UploadField } from './UploadField';
import { contractRules, genericRules, describeRefusal, type UploadItem, type UploadRules } from './uploadRules';

const MEGABYTE = 1024 * 1024;
const item = (name: string): UploadItem => ({ url: `/v2/open/Upload/getFile?name=${name}`, name });
const many = (name: string, count: number) => Array.from({ length: count }, (_, at) => item(`${at}${name}`));

describe('spec/3-rules.md 5.5: the generic upload control', () => {
  it('takes allowed extensions, compared case-insensitively', () => {
    const rules = genericRules({ types: ['JPG', 'pdf'] });
    expect(describeRefusal(rules, { name: 'A.jpg', size: 1 }, [])).toBeNull();
    expect(describeRefusal(rules, { name: 'a.PDF', size: 1 }, [])).toBeNull();
    expect(describeRefusal(rules, { name: 'a.png', size: 1 }, [])).toBe('请上传JPG、pdf格式的文件');
    expect(describeRefusal(rules, { name: 'jpg', size: 1 }, [])).toBe('请上传JPG、pdf格式的文件');
  });

  it('limits the size, by one number or by groups of extensions', () => {
    const one = genericRules({ megabytes: 3 });
    expect(describeRefusal(one, { name: 'a.png', size: 3 * MEGABYTE }, [])).toBeNull();
    expect(describeRefusal(one, { name: 'a.PNG', size: 3 * MEGABYTE + 1 }, [])).toBe('png文件请上传3兆内');
    const grouped = genericRules({
      megabytes: [
        { types: ['jpg', 'PNG'], megabytes: 2 },
        { types: ['pdf'], megabytes: 10 },
      ],
    });
    expect(describeRefusal(grouped, { name: 'a.png', size: 2 * MEGABYTE + 1 }, [])).toBe('png文件请上传2兆内');
    expect(describeRefusal(grouped, { name: 'a.pdf', size: 9 * MEGABYTE }, [])).toBeNull();
    expect(describeRefusal(grouped, { name: 'a.bmp', size: 99 * MEGABYTE }, [])).toBeNull();
  });

  it('limits the count of files', () => {
    expect(describeRefusal(genericRules({ limit: 2 }), { name: 'a.png', size: 1 }, many('.png', 2))).toBe(
      '只能上传2个文件',
    );
  });
});

describe('spec/3-rules.md 5.6: attachments of contracts', () => {
  it.each([
    ['a.doc', 1, [], '只能上传pdf和图片'],
    ['a.jpeg', 2 * MEGABYTE + 1, [], '图片大小不能超过2MB'],
    ['a.pdf', 10 * MEGABYTE + 1, [], 'pdf文件大小不能超过10MB'],
    ['a.bmp', 1, many('.jpg', 6), '图片最多上传6张'],
    ['a.pdf', 1, many('.pdf', 3), 'pdf文件最多上传3个'],
    ['a.pdf', 1, many('.jpg', 6), null],
    ['a.png', 2 * MEGABYTE, many('.jpg', 5), null],
  ])('%s of %i bytes', (name, size, present, said) => {
    expect(describeRefusal(contractRules, { name, size }, present)).toBe(said);
  });
});

let view: ReturnType<typeof renderPage>;

function ControlledField({ rules, items }: { rules: UploadRules; items: UploadItem[] }) {
  const [value, setValue] = useState<UploadItem[]>(items);
  return <UploadField label="附件" rules={rules} value={value} onChange={setValue} />;
}

const open = (routes: FakeRoutes = {}, items: UploadItem[] = [], rules = genericRules({ megabytes: 1, limit: 3 })) => {
  view = renderPage(<ControlledField rules={rules} items={items} />, {
    'v2/open/Upload/getFile': () => okAnswer(null),
    ...routes,
  });
};
const give = (...names: string[]) =>
  act(async () => {
    fireEvent.change(screen.getByLabelText('选择附件'), {
      target: { files: names.map((name) => new File(['x'], name)) },
    });
  });

describe('the upload field', () => {
  beforeEach(() => {
    stubElementSizes();
    URL.createObjectURL = vi.fn(() => 'blob:made');
    URL.revokeObjectURL = vi.fn();
  });
  afterEach(() => {
    view.done();
    vi.restoreAllMocks();
  });

  it('sends a file with its scene and shows it', async () => {
    open({ 'v2/open/Upload/uploadImg': () => okAnswer('/v2/open/Upload/getFile?name=abc.png') }, [], contractRules);
    expect(screen.getByText(/建议上传扫描件/)).toBeTruthy();
    await give('图.png');
    expect(await screen.findByLabelText('查看图.png')).toBeTruthy();
    const sent = view.calls.find((call) => call.path === 'v2/open/Upload/uploadImg');
    expect(sent?.body.scene).toBe('contract');
    expect((sent?.body.file as File).name).toBe('图.png');
  });

  it('sends nothing that breaks a rule, and says so', async () => {
    open();
    await give('a.exe');
    expect(view.told).toMatchObject([{ level: 'error', msg: '请上传jpg、jpeg、png、bmp、pdf格式的文件' }]);
    expect(view.calls.filter((call) => call.method === 'POST')).toEqual([]);
  });

  it('drops a file that the server refuses, with the server’s words', async () => {
    open({ 'v2/open/Upload/uploadImg': () => ({ code: 400, msg: '图片尺寸过大（60000×60000），请缩小后上传' }) });
    await give('b.png');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('图片尺寸过大（60000×60000），请缩小后上传'));
    expect(screen.queryByLabelText('查看b.png')).toBeNull();
  });

  it('asks to try again when the network fails', async () => {
    open({
      'v2/open/Upload/uploadImg': () => {
        throw new TypeError('offline');
      },
    });
    await give('c.png');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('上传失败,请稍后再试'));
    expect(screen.queryByLabelText('查看c.png')).toBeNull();
  });

  it('shows a picture in a dialog, and a pdf in a window of its own', async () => {
    const opened = { location: { href: '' }, close: vi.fn() };
    vi.stubGlobal(
      'open',
      vi.fn(() => opened),
    );
    vi.stubGlobal('fetch', async () => new Response('x', { headers: { 'Content-Type': 'application/pdf' } }));
    view = renderPage(<ControlledField rules={genericRules()} items={[item('图.png'), item('合同.pdf')]} />, {});
    vi.stubGlobal('fetch', async () => new Response('x', { headers: { 'Content-Type': 'application/pdf' } }));
    fireEvent.click(screen.getByLabelText('查看图.png'));
    expect(await screen.findByRole('dialog')).toBeTruthy();
    expect(window.open).not.toHaveBeenCalled();
    fireEvent.click(screen.getByLabelText('查看合同.pdf'));
    expect(window.open).toHaveBeenCalledWith('', '_blank');
    await waitFor(() => expect(opened.location.href).toBe('blob:made'));
  });

  it('deletes one’s own on the server, and keeps what may not go', async () => {
    open(
      {
        'Upload/UploadFile/delReceiptImg': ({ body }) =>
          String(body.url).includes('1.pdf') ? okAnswer(null) : { code: 400, msg: '文件已被单据引用，不能删除' },
      },
      [item('1.pdf'), item('2.pdf')],
    );
    fireEvent.click(screen.getByLabelText('删除1.pdf'));
    await waitFor(() => expect(screen.queryByLabelText('查看1.pdf')).toBeNull());
    fireEvent.click(screen.getByLabelText('删除2.pdf'));
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('文件已被单据引用，不能删除'));
    expect(screen.getByLabelText('查看2.pdf')).toBeTruthy();
  });
});
