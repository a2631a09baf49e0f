import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { findButton, stubElementSizes, okAnswer, pressButton, renderPage, type FakeRoutes } from '@/engine/harness';
import type { RoleEditor as Editor, ScreenFields } from '@/gen';
import RoleEditor from './RoleEditor';

const description = {
  ...buildBillScreen(),
  name: 'role',
  label: '角色',
  api: 'v2/system/Role',
  routes: { list: '/system/role', add: '/system/roleAdd' },
};
const leaf = (key: string, title: string, mine = true) => ({ key, title, mine, roles: 1, children: [] });
const unit = {
  key: 'screen unit',
  title: '单位',
  children: [leaf('unit:list', '查看'), leaf('unit:add', '新增'), leaf('unit:del', '删除', false)],
};
const editor: Editor = {
  role: {
    role_id: 5,
    version: 3,
    role_name: '仓管',
    scope_kind: 2,
    own_kind: 1,
    sees_cost: false,
    enabled: true,
    remark: null,
  },
  holdings: { rights: ['unit:list'], bundles: [9], companies: [2], warehouses: [], denied: [] },
  tree: [
    { key: 'module 系统', title: '系统管理', children: [{ key: 'group 商品', title: '商品设置', children: [unit] }] },
  ],
  bundles: [{ right_bundle_id: 9, bundle_name: '删除包', remark: null, rights: ['unit:del'] }],
  companies: [{ id: 2, name: '华东公司' }],
  warehouses: [],
  users: [{ id: 7, name: '张三' }],
  may_all_companies: false,
  may_all_warehouses: true,
  may_cost: false,
  least_own: 1,
};

let view: ReturnType<typeof renderPage>;
const open = async (params: Record<string, string>, routes: FakeRoutes = {}) => {
  view = renderPage(<RoleEditor screen={description} params={params} />, {
    'v2/system/Role/getEditor': () => okAnswer(editor),
    ...routes,
  });
  await screen.findByText('商品设置');
};
const box = (label: string) => screen.getByRole<HTMLInputElement>('checkbox', { name: label });

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('the role editor', () => {
  it('saves the role with all that it holds in one call', async () => {
    await open({ id: '5' }, { 'v2/system/Role/save': () => okAnswer({ id: 5 }) });
    fireEvent.click(box('新增'));
    await pressButton('保存');
    expect(await screen.findByText('1 项 → 2 项')).toBeTruthy();
    await pressButton('确认修改');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('角色已保存，对正在使用的用户立即生效'));
    const sent = view.calls.find(({ path }) => path === 'v2/system/Role/save')?.body;
    expect(sent).toMatchObject({
      role_id: 5,
      version: 3,
      role_name: '仓管',
      rights: ['unit:add', 'unit:list'],
      bundles: [9],
      companies: [2],
      denied: [],
    });
  });

  it('shows what comes from a bundle and what one may not give', async () => {
    await open({ id: '5' });
    expect(box('删除').checked).toBe(true);
    expect(box('删除').disabled).toBe(true);
    expect(screen.getByRole<HTMLInputElement>('radio', { name: '全部公司' }).disabled).toBe(true);
    expect(screen.getByLabelText<HTMLButtonElement>('查看成本').disabled).toBe(true);
  });

  it('hides fields of a screen, but not those that are hidden from oneself', async () => {
    const fields = [
      { field: 'price', label: '单价', is_cost: false, denied: false, mine: true },
      { field: 'cost', label: '成本价', is_cost: true, denied: true, mine: false },
    ];
    const listed: ScreenFields[] = [{ screen: 'sales_order', label: '销售订单', module: '销售管理', fields }];
    await open(
      { id: '5' },
      {
        'v2/system/Role/getEditor': () =>
          okAnswer({ ...editor, holdings: { ...editor.holdings, denied: [{ screen: 'sales_order', field: 'cost' }] } }),
        'v2/system/RoleFieldAuth/getList': () => okAnswer(listed),
        'v2/system/Role/save': () => okAnswer({ id: 5 }),
      },
    );
    fireEvent.click(screen.getByText('字段权限（隐藏 1）'));
    fireEvent.click(await screen.findByRole('checkbox', { name: '单价' }));
    expect([box('单价').checked, box('成本价成本').disabled]).toEqual([false, true]);
    expect(view.calls.find(({ path }) => path.endsWith('RoleFieldAuth/getList'))?.query.role_id).toBe('5');
    await pressButton('保存');
    await pressButton('确认修改');
    const body = {
      denied: [
        { screen: 'sales_order', field: 'cost' },
        { screen: 'sales_order', field: 'price' },
      ],
    };
    await waitFor(() =>
      expect(view.calls.find(({ path }) => path === 'v2/system/Role/save')?.body).toMatchObject(body),
    );
  });

  it('goes back to what was stored', async () => {
    await open({ id: '5' });
    expect(findButton('还原')?.disabled).toBe(true);
    fireEvent.change(screen.getByLabelText('角色名称'), { target: { value: '别的' } });
    fireEvent.click(box('新增'));
    await pressButton('还原');
    expect([screen.getByLabelText<HTMLInputElement>('角色名称').value, box('新增').checked]).toEqual(['仓管', false]);
  });

  it('copies a role under a new name', async () => {
    await open({ copy: '5' }, { 'v2/system/Role/save': () => okAnswer({ id: 6 }) });
    expect(findButton('保存')!.disabled).toBe(true);
    fireEvent.change(screen.getByLabelText('角色名称'), { target: { value: '仓管二' } });
    await pressButton('保存');
    await waitFor(() => expect(view.tabs.open).toHaveBeenCalledWith('/system/roleAdd?id=6', '修改角色'));
    const sent = view.calls.find(({ path }) => path === 'v2/system/Role/save')?.body;
    expect(sent).toMatchObject({ role_id: null, version: null, role_name: '仓管二', rights: ['unit:list'] });
  });
});
