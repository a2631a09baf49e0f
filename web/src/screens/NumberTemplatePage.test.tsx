import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pressButton, renderPage, type FakeRoutes } from '@/engine/harness';
import NumberTemplatePage from './NumberTemplatePage';

const api = 'v2/system/BillBusinessSnTemplate';
const save = {
  name: 'save',
  label: '保存',
  scope: 'batch' as const,
  from: null,
  confirm: null,
  reason: false,
  danger: false,
};
const description = { ...buildBillScreen(), name: 'bill_numbering', api, actions: [save] };
const template = {
  bill_type: 'XSCK',
  bill_name: '销售出库',
  prefix: 'XSCK',
  with_company: true,
  date_form: 1,
  digits: 4,
  reset: 1,
  example: 'XSCKHQ202611210001',
};

let view: ReturnType<typeof renderPage>;
const open = (routes: FakeRoutes = {}, described = description) => {
  view = renderPage(<NumberTemplatePage screen={described} />, {
    [`${api}/billTypeList`]: () => okAnswer([template]),
    ...routes,
  });
  return screen.findByText('XSCKHQ202611210001');
};
const sentCalls = (name: string) => view.calls.filter((call) => call.path === `${api}/${name}`);

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('the numbering of bills', () => {
  it('shows what the chosen parts make before they are saved', async () => {
    await open({
      [`${api}/preview`]: () => okAnswer({ example: 'CKHQ202611210001' }),
      [`${api}/save`]: () => okAnswer({ ...template, prefix: 'CK' }),
    });
    await pressButton('设置');
    fireEvent.change(await screen.findByLabelText('前缀'), { target: { value: 'ck' } });
    expect((await screen.findByRole('status')).textContent).toBe('示例：CKHQ202611210001');
    await waitFor(() => expect(sentCalls('preview').at(-1)?.body.prefix).toBe('CK'));
    expect(sentCalls('save')).toHaveLength(0);
    await pressButton('保存');
    await waitFor(() =>
      expect(sentCalls('save')[0]?.body).toMatchObject({ bill_type: 'XSCK', prefix: 'CK', digits: 4 }),
    );
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('保存成功'));
  });

  it('says why a template would not do', async () => {
    await open({ [`${api}/preview`]: () => ({ code: 400, msg: '前缀 CGRK 已用于采购入库，请更换', data: null }) });
    await pressButton('设置');
    expect(await screen.findByText('前缀 CGRK 已用于采购入库，请更换')).toBeTruthy();
  });

  it('offers no setting to whoever may only look', async () => {
    await open({}, { ...description, actions: [] });
    expect(screen.queryByText('设置')).toBeNull();
  });
});
