import { screen as shown, waitFor } from '@testing-library/react';
import { App, Input } from 'antd';
import { afterEach, expect, it, vi } from 'vitest';
import { useActions } from './actions';
import { confirmAct, type ActConfirmation, type Consequence } from './consequenceDialog';
import { buildBillScreen } from './fixtures';
import { findButton, okAnswer, pressButton, renderPage, type FakeRoutes } from './harness';

const about: Consequence = {
  effect: '该公司当月单据全部锁定',
  undo: '反结账',
  facts: [{ label: '锁定单据', value: '12 张' }],
  warnings: ['本期单据都已审核或作废（3）'],
};
const answered = vi.fn<(agreed: boolean) => void>();

function Page({ act }: { act: ActConfirmation }) {
  const { modal } = App.useApp();
  return <button onClick={() => void confirmAct(modal, act).then(answered)}>结账</button>;
}

let view: ReturnType<typeof renderPage>;
const open = (act: Partial<ActConfirmation>) => {
  view = renderPage(<Page act={{ title: '结账 2026-05', about, ...act }} />, {});
  return pressButton('结账');
};
afterEach(() => {
  view.done();
  answered.mockClear();
});

it('shows what an act changes, for whom, what speaks against it and how to undo it', async () => {
  await open({});
  for (const text of ['结账 2026-05', '该公司当月单据全部锁定', '12 张', '反结账', '本期单据都已审核或作废（3）']) {
    expect(await shown.findAllByText(text)).not.toHaveLength(0);
  }
  await pressButton('确定');
  await waitFor(() => expect(answered).toHaveBeenCalledWith(true));
});

it('does nothing for who changes his mind', async () => {
  await open({});
  await pressButton('取消');
  await waitFor(() => expect(answered).toHaveBeenCalledWith(false));
});

it('can’t begin before the server said what it changes, nor where it can’t say', async () => {
  let tell: (found: Consequence) => void = () => undefined;
  await open({ about: () => new Promise((resolve) => (tell = resolve)) });
  await waitFor(() => expect(findButton('确定')?.disabled).toBe(true));
  tell(about);
  expect(await shown.findByText('12 张')).toBeTruthy();
  await waitFor(() => expect(findButton('确定')?.disabled).toBe(false));
  await waitFor(() => expect(document.activeElement).toBe(findButton('确定')));
  view.done();
  await open({ about: () => Promise.reject(new Error('公司不存在或无权访问')) });
  expect(await shown.findByText('公司不存在或无权访问')).toBeTruthy();
  expect(findButton('确定')?.disabled).toBe(true);
});

it('says what is wanting, and stays', async () => {
  await open({ content: <Input />, missingReason: () => '请填写反结账原因' });
  await pressButton('确定');
  await waitFor(() => expect(view.told.at(-1)?.msg).toBe('请填写反结账原因'));
  expect(answered).not.toHaveBeenCalled();
});

const screen = buildBillScreen();
const voiding = {
  ...screen.actions.find(({ name }) => name === 'auditorPass')!,
  name: 'invalid',
  label: '作废',
  confirm: '确定作废所选单据？',
  foreseen: true,
};
function Bills() {
  const { run } = useActions(screen);
  return <button onClick={() => void run(voiding, [{ [screen.key]: 8 }, { [screen.key]: 9 }])}>作废</button>;
}
const bills = (routes: FakeRoutes) => {
  view = renderPage(<Bills />, routes);
  return pressButton('作废');
};

it('of chosen bills is asked of the server, and done only then', async () => {
  await bills({
    [`${screen.api}/getConsequence`]: () =>
      okAnswer({ ...about, facts: [{ label: '销售出库', value: '2 张单据：XSCK8、XSCK9' }] }),
    [`${screen.api}/invalid`]: () => okAnswer({ success: [8, 9], failures: [] }),
  });
  expect(await shown.findByText('2 张单据：XSCK8、XSCK9')).toBeTruthy();
  expect(view.calls.map(({ path, body }) => [path, body])).toEqual([
    [`${screen.api}/getConsequence`, { action: 'invalid', ids: [8, 9] }],
  ]);
  await pressButton('确定');
  await waitFor(() => expect(view.told.at(-1)?.msg).toBe('作废成功'));
});
