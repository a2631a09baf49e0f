import { screen as shown, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useActions } from './actions';
import { billScreen } from './fixtures';
import { today } from '../lib/format';
import { ok, press, renderPage } from './harness';
import { formQuery, infoQuery } from './queries';
import { useQuery } from '../lib/query';

const screen = billScreen();
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
    [`${screen.api}/getDraft`]: () => ok({}),
    [`${screen.api}/getInfo`]: () => ok({ [screen.key]: 9, revision: 4 }),
    [`${screen.api}/auditorPass`]: () => ok({ success: [9], failures: [] }),
  });
  const asked = (call: string) => view.calls.filter(({ path }) => path === `${screen.api}/${call}`).length;
  await view.findByText('审核');
  await press('审核');
  await waitFor(() => expect(asked('getInfo')).toBe(2));
  expect(asked('auditorPass')).toBe(1);
  expect(asked('getDraft')).toBe(1);
  view.done();
});

it('tells which revision of a bill was read, so that nobody passes what somebody changed since', async () => {
  const view = renderPage(<Page />, {
    [`${screen.api}/getDraft`]: () => ok({}),
    [`${screen.api}/getInfo`]: () => ok({ [screen.key]: 9, revision: 4 }),
    [`${screen.api}/auditorPass`]: () => ok({ success: [9], failures: [] }),
  });
  await view.findByText('审核');
  await press('审核');
  const sent = () => view.calls.filter(({ path }) => path === `${screen.api}/auditorPass`);
  await waitFor(() => expect(sent()[0]?.body).toMatchObject({ ids: [9], revisions: { 9: 4 } }));
  view.done();
});

it('an audit says which bills are dated after today', async () => {
  function List() {
    const { run } = useActions(screen);
    const rows = ['2099-11-01', '2026-01-01'].map((business_date, at) => ({ [screen.key]: at + 1, business_date }));
    return <button onClick={() => void run(audit, rows)}>审核</button>;
  }
  const view = renderPage(<List />, {});
  await press('审核');
  expect(await shown.findByText(`其中 1 张的业务日期晚于今天（${today()}）`)).toBeTruthy();
  view.done();
});
