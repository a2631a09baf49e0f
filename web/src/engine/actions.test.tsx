import { screen as shown, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useActions } from './actions';
import { buildBillScreen } from './fixtures';
import { onReportedError } from '../lib/errors';
import { okAnswer, pressButton, renderPage } from './harness';
import { formQuery, infoQuery } from './queries';
import { useQuery } from '../lib/query';

const screen = buildBillScreen();
const audit = screen.actions.find(({ name }) => name === 'auditorPass')!;

/** A form that was begun with what is left of another bill, and the bill that it became. */
function Page() {
  useQuery(formQuery(screen, 5, true));
  const bill = useQuery(infoQuery(screen, 9)).data;
  const { run } = useActions(screen);
  return bill ? <button onClick={() => void run(audit, [bill], { unasked: true })}>审核</button> : null;
}

it('reads anew what an action may have changed, but not what a form began with', async () => {
  const view = renderPage(<Page />, {
    [`${screen.api}/getDraft`]: () => okAnswer({}),
    [`${screen.api}/getInfo`]: () => okAnswer({ [screen.key]: 9, revision: 4 }),
    [`${screen.api}/auditorPass`]: () => okAnswer({ success: [9], failures: [] }),
  });
  const asked = (call: string) => view.calls.filter(({ path }) => path === `${screen.api}/${call}`).length;
  await view.findByText('审核');
  await pressButton('审核');
  await waitFor(() => expect(asked('getInfo')).toBe(2));
  expect(asked('auditorPass')).toBe(1);
  expect(asked('getDraft')).toBe(1);
  view.done();
});

it('tells which revision of a bill was read, so that nobody passes what somebody changed since', async () => {
  const view = renderPage(<Page />, {
    [`${screen.api}/getDraft`]: () => okAnswer({}),
    [`${screen.api}/getInfo`]: () => okAnswer({ [screen.key]: 9, revision: 4 }),
    [`${screen.api}/auditorPass`]: () => okAnswer({ success: [9], failures: [] }),
  });
  await view.findByText('审核');
  await pressButton('审核');
  const sent = () => view.calls.filter(({ path }) => path === `${screen.api}/auditorPass`);
  await waitFor(() => expect(sent()[0]?.body).toMatchObject({ ids: [9], revisions: { 9: 4 } }));
  view.done();
});

it('an audit that the server asks about, say of a date after today, goes on once the user says so', async () => {
  const question = '业务日期 2099-11-01 晚于今天（2026-11-28），是否继续？';
  const view = renderPage(<Page />, {
    [`${screen.api}/getDraft`]: () => okAnswer({}),
    [`${screen.api}/getInfo`]: () => okAnswer({ [screen.key]: 9, revision: 4 }),
    [`${screen.api}/auditorPass`]: ({ body }: { body: Record<string, unknown> }) =>
      body.confirmed ? okAnswer({ success: [9], failures: [] }) : { code: 363, msg: question, data: null },
  });
  await view.findByText('审核');
  await pressButton('审核');
  await shown.findByText(question);
  await pressButton('继续');
  const sent = () => view.calls.filter(({ path }) => path === `${screen.api}/auditorPass`);
  await waitFor(() => expect(sent().map(({ body }) => body.confirmed)).toEqual([false, true]));
  view.done();
});

it('an audit that succeeded says what else came of it', async () => {
  const view = renderPage(<Page />, {
    [`${screen.api}/getDraft`]: () => okAnswer({}),
    [`${screen.api}/getInfo`]: () => okAnswer({ [screen.key]: 9, revision: 4 }),
    [`${screen.api}/auditorPass`]: () =>
      okAnswer({ success: [9], failures: [], notes: ['盘亏后以下销售订单占用不足：XSDD1'] }),
  });
  const told: string[] = [];
  const silence = onReportedError(({ level, msg }) => told.push(`${level} ${msg}`));
  await view.findByText('审核');
  await pressButton('审核');
  // That it succeeded was told a moment ago, by the case before: the same is not told twice within a second.
  await waitFor(() => expect(told).toContain('warning 盘亏后以下销售订单占用不足：XSDD1'));
  silence();
  view.done();
});
