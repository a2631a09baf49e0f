import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import {
  findButton,
  stubElementSizes,
  okAnswer,
  pageAnswer,
  pressButton,
  renderPage,
  type FakeRoutes,
} from '@/engine/harness';
import type { Bundle, BundleSave, Holder, RightNode } from '@/gen';
import AuthPage from './AuthPage';
import BundleEditor from './BundleEditor';

const description = buildBillScreen({
  name: 'right_bundle',
  label: '权限包',
  family: 'resource',
  api: 'v2/system/RightBundle',
  routes: { list: '/system/auth', add: '/system/authAdd' },
});
const leaf = (key: string, title: string, roles = 1): RightNode => ({ key, title, mine: true, roles, children: [] });
const tree: RightNode[] = [
  {
    key: 'module 系统',
    title: '系统管理',
    children: [
      {
        key: 'group 商品',
        title: '商品设置',
        children: [
          { key: 'screen unit', title: '单位', children: [leaf('unit:list', '查看', 2), leaf('unit:add', '新增', 0)] },
        ],
      },
    ],
  },
];
const stored: Bundle = { right_bundle_id: 9, bundle_name: '单位包', remark: '给文员', rights: ['unit:list'] };
const save = 'v2/system/RightBundle/save';

let view: ReturnType<typeof renderPage>;
const open = (params: Record<string, string>, routes: FakeRoutes = {}) => {
  view = renderPage(<BundleEditor screen={description} params={params} />, {
    'v2/system/RoleAuth/getRightTree': () => okAnswer(tree),
    'v2/system/RightBundle/getBundle': () => okAnswer(stored),
    [save]: () => okAnswer({ id: 9 }),
    ...routes,
  });
};
const box = (label: string) => screen.getByRole<HTMLInputElement>('checkbox', { name: label });
const sentBody = () => view.calls.find(({ path }) => path === save)?.body;

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('a bundle of rights', () => {
  it('is changed as it was stored, and goes back to the list', async () => {
    open({ id: '9' });
    await screen.findByText('商品设置');
    expect([box('查看').checked, box('新增').checked, screen.getByText('已选 1 / 2') !== null]).toEqual([
      true,
      false,
      true,
    ]);
    expect(view.calls.find(({ path }) => path.endsWith('getBundle'))?.query.id).toBe('9');
    fireEvent.click(box('新增'));
    await pressButton('保存');
    expect(await screen.findByText('1 项')).toBeTruthy();
    await pressButton('确认修改');
    await waitFor(() => expect(view.tabs.open).toHaveBeenCalledWith('/system/auth', '权限', { keepAlive: true }));
    const body: BundleSave = {
      right_bundle_id: 9,
      bundle_name: '单位包',
      remark: '给文员',
      rights: ['unit:add', 'unit:list'],
    };
    expect(sentBody()).toEqual(body);
  });

  it('needs a name; who may do something may look at it', async () => {
    open({});
    await screen.findByText('商品设置');
    expect(findButton('保存')?.disabled).toBe(true);
    fireEvent.change(screen.getByLabelText('权限包名称'), { target: { value: '新增单位' } });
    fireEvent.click(box('新增'));
    await pressButton('保存');
    const body: BundleSave = {
      right_bundle_id: null,
      bundle_name: '新增单位',
      remark: null,
      rights: ['unit:add', 'unit:list'],
    };
    await waitFor(() => expect(sentBody()).toEqual(body));
    expect(view.calls.some(({ path }) => path.endsWith('getBundle'))).toBe(false);
  });

  it('is found by words, and may show only what is ticked', async () => {
    open({ id: '9' });
    await screen.findByText('商品设置');
    fireEvent.change(screen.getByLabelText('查找界面或操作'), { target: { value: '无此' } });
    expect(await screen.findByText('没有符合的权限')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('查找界面或操作'), { target: { value: '单位' } });
    await screen.findByText('商品设置');
    fireEvent.click(box('查看'));
    fireEvent.click(box('只看已选'));
    expect(screen.queryByText('商品设置')).toBeNull();
  });

  it('says why it could not be read, and asks again', async () => {
    let refused = true;
    open(
      { id: '9' },
      { 'v2/system/RightBundle/getBundle': () => (refused ? { code: 400, msg: '权限包不存在' } : okAnswer(stored)) },
    );
    expect(await screen.findByText('权限包不存在')).toBeTruthy();
    refused = false;
    await pressButton('重试');
    expect(await screen.findByText('商品设置')).toBeTruthy();
  });
});

describe('a right', () => {
  const holders: Holder[] = [{ role_id: 3, role_name: '开单员', via: '单位包', users: 4 }];

  it('tells which roles hold it, and leads to them', async () => {
    view = renderPage(<AuthPage screen={description} params={{}} />, {
      'v2/system/RightBundle/getList': () => pageAnswer([]),
      'v2/system/RightBundle/getTotals': () => okAnswer({ total: 0, totals: {} }),
      'v2/system/RoleAuth/getRightTree': () => okAnswer(tree),
      'v2/system/RoleAuth/getHolders': ({ query }) => okAnswer(query.code === 'unit:list' ? holders : []),
    });
    fireEvent.click(await screen.findByText('全部权限与持有角色'));
    fireEvent.change(await screen.findByLabelText('查找权限'), { target: { value: 'unit:' } });
    expect(await screen.findByText('无人持有')).toBeTruthy();
    fireEvent.click(screen.getByText('unit:list'));
    expect(await screen.findByText('单位包')).toBeTruthy();
    await pressButton('开单员');
    expect(view.tabs.open).toHaveBeenCalledWith('/system/roleAdd?id=3', '修改角色');
  });
});
