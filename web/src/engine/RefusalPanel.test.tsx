import { act, fireEvent, screen as shown, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { useActions } from './actions';
import { buildBillScreen } from './fixtures';
import { findButton, okAnswer, pressButton, renderPage, type RecordedCall } from './harness';
import { RefusalPanel } from './RefusalPanel';
import { removeRefusals } from './refusals';
import type { Row } from './types';

const screen = buildBillScreen();
const audit = screen.actions.find(({ name }) => name === 'auditorPass')!;
const bill = (id: number, at = {}) => ({ [screen.key]: id, bill_no: `XSCK${id}`, status: 1, revision: 4, ...at });
const credit = {
  msg: '客户已超信用额度',
  ways: [
    { label: '查看信用占用', route: '/custom/creditfind?customer_id=9' },
    { label: '可以放行的人：王经理', route: '' },
  ],
};
const short = {
  msg: '库存不足：轮胎缺 4',
  kind: 'shortage',
  ways: [{ label: '查看轮胎的库存', route: '/inventory/inventorygoods?goods_id=7' }],
};
const refused = { code: 400, msg: `${credit.msg}；${short.msg}`, data: { reasons: [credit, short] } };

function Page({ ids, id, rows = [] }: { ids: number[]; id?: number; rows?: Row[] }) {
  const { run } = useActions(screen);
  return (
    <>
      <RefusalPanel screen={screen} rows={rows} id={id} />
      <button
        onClick={() =>
          void run(
            audit,
            ids.map((one) => bill(one)),
            { unasked: true },
          )
        }
      >
        审核
      </button>
    </>
  );
}

let view: ReturnType<typeof renderPage>;
const open = (
  answer: (call: RecordedCall) => { code: number; msg?: string; data?: unknown },
  ids = [9],
  id?: number,
  rows?: Row[],
) => {
  view = renderPage(<Page ids={ids} id={id} rows={rows} />, { [`${screen.api}/auditorPass`]: answer });
};
afterEach(() => {
  act(() => removeRefusals(screen.name, [8, 9]));
  view.done();
});

it('tells all causes of a refusal at once, and leads to what can be done about each', async () => {
  open(() => refused);
  await pressButton('审核');
  expect(await shown.findByText('XSCK9 审核未通过，共 2 个原因')).toBeTruthy();
  expect(shown.getByText(credit.msg)).toBeTruthy();
  expect(shown.getByText('可以放行的人：王经理').tagName).toBe('SPAN');
  await pressButton('查看轮胎的库存');
  expect(view.tabs.open).toHaveBeenCalledWith('/inventory/inventorygoods?goods_id=7', '轮胎的库存');
  expect(view.told.filter(({ level }) => level === 'error')).toEqual([]);
});

it('stays when other bills pass, and goes once the bill passes', async () => {
  let passes = false;
  open(() => (passes ? okAnswer({ success: [9], failures: [] }) : refused));
  await pressButton('审核');
  await shown.findByText(/未通过/);
  passes = true;
  await pressButton('审核');
  await waitFor(() => expect(shown.queryByText(/未通过/)).toBeNull());
});

it('stays until it is closed, on whatever page shows the bill', async () => {
  open(() => refused);
  await pressButton('审核');
  await shown.findByText(/未通过/);
  view.unmount();
  open(() => refused, [8], 9);
  expect(shown.getByText(/XSCK9 审核未通过/)).toBeTruthy();
  fireEvent.click(shown.getByLabelText('关闭XSCK9的提示'));
  await waitFor(() => expect(shown.queryByText(/未通过/)).toBeNull());
});

it('goes once the bill is seen to have gone on, but not for what was read before', async () => {
  open(() => refused);
  await pressButton('审核');
  await shown.findByText(/未通过/);
  const read = async (row: Row) => {
    view.unmount();
    open(() => refused, [], undefined, [row]);
    await waitFor(() => expect(findButton('审核')).toBeTruthy());
    return shown.queryByText(/未通过/) === null;
  };
  expect(await read(bill(9, { status: 2, revision: 3 }))).toBe(false);
  expect(await read(bill(9, { status: 1, revision: 5 }))).toBe(false);
  expect(await read(bill(8, { status: 2, revision: 5 }))).toBe(false);
  expect(await read(bill(9, { status: 2, revision: 5 }))).toBe(true);
  view.unmount();
  open(() => refused, [], 9);
  expect(shown.queryByText(/未通过/)).toBeNull();
});

it('of a batch tells each bill that did not pass', async () => {
  const failures = [
    { index: 1, serial: 'XSCK8', msg: credit.msg, reasons: [credit] },
    { index: 2, serial: 'XSCK9', msg: '请先保存' },
  ];
  open(() => ({ code: 400, msg: '选择2条，成功审核0条', data: { failures } }), [8, 9]);
  await pressButton('审核');
  expect(await shown.findByText('XSCK8 审核未通过')).toBeTruthy();
  expect(shown.getByText('请先保存')).toBeTruthy();
  expect(findButton('查看信用占用')).toBeTruthy();
});

it('is not for what never reached the server', async () => {
  open(() => ({ code: 500, msg: '系统出错，请联系管理员' }));
  await pressButton('审核');
  await waitFor(() => expect(view.told.at(-1)?.msg).toBe('系统出错，请联系管理员'));
  expect(shown.queryByText(/未通过/)).toBeNull();
});
