import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen, buildField } from '../fixtures';
import { stubElementSizes, okAnswer, pressButton, renderPage, type FakeRoutes } from '../harness';
import type { Row } from '../types';
import FormPage from './FormPage';

const licence = {
  values: {
    customer_name: '杭州顺达汽车配件有限公司',
    credit_code: '91350100M000100Y44',
    legal_person: '周建国',
    secret: 'x',
  },
  doubts: { credit_code: '校验码不符，请对照证件核对' },
  notes: { legal_person: '已按校验码更正，请核对' },
  found: [
    {
      name: 'code',
      label: '统一社会信用代码',
      value: '91350100M000100Y44',
      doubt: '校验码不符，请对照证件核对',
      note: '',
    },
    { name: 'capital', label: '注册资本', value: '壹佰万元整', doubt: '', note: '' },
  ],
};
const company = {
  values: { customer_name: '宁波顺风物流有限公司', credit_code: '91440300708461136T' },
  doubts: {},
  notes: {},
  found: [{ name: 'name', label: '名称', value: '宁波顺风物流有限公司', doubt: '', note: '' }],
};
const api = 'v2/custom/Customer';
const description = buildBillScreen({
  name: 'customer',
  label: '客户',
  family: 'resource',
  kind: 'add',
  api,
  key: 'customer_id',
  title_field: 'customer_name',
  fields: [
    buildField({ name: 'customer_name', label: '客户名称', required: true }),
    buildField({ name: 'credit_code', label: '统一社会信用代码' }),
    buildField({ name: 'legal_person', label: '法定代表人' }),
    buildField({ name: 'secret', label: '看不到的', readonly: true, masked: true }),
    buildField({ name: 'logo', label: '标志', type: 'image', scene: 'logo' }),
    buildField({ name: 'papers', label: '证照', type: 'image', scene: 'contract' }),
  ],
  line: null,
  blocks: [],
  status_field: null,
  pricing: null,
  fillings: [
    { name: 'licenseOcr', label: '识别营业执照', way: 'picture' },
    { name: 'eyeLookup', label: '查询企业', way: 'search' },
  ],
});
const base: FakeRoutes = {
  [`${api}/licenseOcr`]: () => okAnswer(licence),
  [`${api}/eyeLookup`]: () => okAnswer([company]),
  [`${api}/add`]: () => okAnswer({ id: 5 }),
};

let view: ReturnType<typeof renderPage>;
const open = (routes: FakeRoutes = {}, given?: Record<string, string>, fillings = description.fillings) => {
  const form = { ...description, fillings };
  view = renderPage(<FormPage screen={form} id={null} copyOf={null} from={null} presetValues={given} />, {
    ...base,
    ...routes,
  });
};
const sentCalls = (path: string) => view.calls.filter((call) => call.path === `${api}/${path}`);
const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const choose = async (name = 'a.jpg') => {
  const input = await screen.findByLabelText('选择要识别的图片');
  await pressButton('识别营业执照');
  await act(async () => fireEvent.change(input, { target: { files: [new File(['x'], name)] } }));
};

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('a picture of a paper', () => {
  it('fills what is empty, marks it, and saves nothing', async () => {
    open();
    await choose();
    await waitFor(() => expect(value('客户名称')).toBe('杭州顺达汽车配件有限公司'));
    expect([value('统一社会信用代码'), value('法定代表人')]).toEqual(['91350100M000100Y44', '周建国']);
    expect(screen.getByText('识别自图片', { selector: '.field-hint' })).toBeTruthy();
    expect(screen.getByText('识别自图片，已按校验码更正，请核对', { selector: '.field-hint' })).toBeTruthy();
    expect(screen.getByText('识别自图片：校验码不符，请对照证件核对', { selector: '.field-doubt' })).toBeTruthy();
    expect(screen.getByText('填入3项。请核对后保存')).toBeTruthy();
    expect(screen.getByText('注册资本：壹佰万元整')).toBeTruthy();
    expect(sentCalls('licenseOcr')).toHaveLength(1);
    expect(sentCalls('add')).toHaveLength(0);
  });

  it('leaves what is filled in, and says so', async () => {
    open({}, { customer_name: '老客户', legal_person: '周建国' });
    await choose();
    expect(await screen.findByText('填入1项；客户名称已有内容，没有改动。请核对后保存')).toBeTruthy();
    expect(value('客户名称')).toBe('老客户');
  });

  it('what is typed over is nobody else’s any more, and is what is saved', async () => {
    open();
    await choose();
    const code = await screen.findByDisplayValue('91350100M000100Y44');
    fireEvent.change(code, { target: { value: '91350100M000100Y43' } });
    expect(document.querySelector('.header-control .field-doubt')).toBeNull();
    fireEvent.keyDown(window, { key: 's', ctrlKey: true });
    await waitFor(() => expect(sentCalls('add')).toHaveLength(1));
    const { customer_name, credit_code } = sentCalls('add')[0]?.body as Row;
    expect([customer_name, credit_code]).toEqual(['杭州顺达汽车配件有限公司', '91350100M000100Y43']);
  });

  it('one that is attached is read without being chosen again', async () => {
    open({
      'v2/open/Upload/getFile': () => okAnswer(null),
      'v2/open/Upload/uploadImg': () => okAnswer('/v2/open/Upload/getFile?name=new.png'),
    });
    await act(async () =>
      fireEvent.change(await screen.findByLabelText('选择证照'), { target: { files: [new File(['x'], 'b.png')] } }),
    );
    await screen.findByLabelText('查看证照1.png');
    await pressButton('识别营业执照');
    expect(await screen.findByText('选择图片…')).toBeTruthy();
    fireEvent.click(screen.getByText('证照1.png', { selector: '.ant-dropdown-menu-title-content' }));
    await waitFor(() =>
      expect(view.calls.some(({ path, query }) => path.endsWith('getFile') && query.name === 'new.png')).toBe(true),
    );
  });

  it('a refusal is told and changes nothing', async () => {
    open({ [`${api}/licenseOcr`]: () => ({ code: 400, msg: '没有认出营业执照，请把证件拍正、拍清楚后重试' }) });
    await choose();
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('没有认出营业执照，请把证件拍正、拍清楚后重试'));
    expect(value('客户名称')).toBe('');
  });

  it('who is offered nothing sees no buttons', async () => {
    open({}, undefined, []);
    await screen.findByLabelText('选择证照');
    expect(screen.queryByText('识别营业执照')).toBeNull();
  });
});

describe('a company', () => {
  it('is looked up by what the name says so far, and the chosen one fills in', async () => {
    open({}, { legal_person: '吴强' });
    fireEvent.change(screen.getByLabelText('客户名称'), { target: { value: '顺风' } });
    await screen.findByLabelText('选择要识别的图片');
    await pressButton('查询企业');
    const words = await screen.findByLabelText<HTMLInputElement>('企业名称或信用代码');
    expect(words.value).toBe('顺风');
    await userEvent.type(words, '{Enter}');
    fireEvent.click(await screen.findByLabelText('选择宁波顺风物流有限公司'));
    await waitFor(() => expect(value('统一社会信用代码')).toBe('91440300708461136T'));
    expect(sentCalls('eyeLookup').map(({ query }) => query.keyword)).toEqual(['顺风']);
    expect(value('客户名称')).toBe('顺风');
    expect(screen.getByText('查询所得', { selector: '.field-hint' })).toBeTruthy();
  });
});
