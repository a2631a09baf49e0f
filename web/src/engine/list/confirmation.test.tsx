import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubElementSizes, okAnswer, pressButton } from '../harness';
import { api, pressAudit, openList, actionCalls, tickRow, view } from './listHarness';

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('what is dated before a stocktake', () => {
  it('asks of what is dated before a stocktake whether it was counted, after other warnings, and again of what moved meanwhile', async () => {
    const told = '其他入库QTRK1的日期不晚于盘点单KCPD1：机油，这些商品盘点时是否已盘在内？';
    const asked = (question: string, msg: string) => ({
      code: 363,
      msg,
      data: { asks: 'counted', questions: [{ question, msg }] },
    });
    const answer = ({ body }: { body: Record<string, unknown> }) => {
      if (!body.confirmed) return { code: 363, msg: '', data: { warehouse_name: '中心仓' } };
      const answers = (body.answers ?? {}) as Record<string, boolean>;
      if (answers.first === undefined) return asked('first', told);
      return answers.second === undefined
        ? asked('second', `${told}又有变动`)
        : okAnswer({ success: [1], failures: [] });
    };
    await openList({ [`${api}/auditorPass`]: answer });
    tickRow('XSCK1');
    await pressAudit();
    await pressButton('继续');
    expect(await screen.findByText(told)).toBeTruthy();
    await pressButton('未盘在内');
    expect(await screen.findByText(`${told}又有变动`)).toBeTruthy();
    await pressButton('已盘在内');
    const answers = [undefined, undefined, { first: false }, { first: false, second: true }];
    await waitFor(() => expect(actionCalls('auditorPass').map(({ body }) => body.answers)).toEqual(answers));
    expect(actionCalls('auditorPass').map(({ body }) => body.confirmed)).toEqual([false, true, true, true]);
  });
  it('in a batch those that a stocktake stopped go on once answered', async () => {
    const failures = [
      {
        index: 2,
        serial: 'XSCK2',
        msg: '这些商品盘点时是否已盘在内？',
        code: 363,
        asks: 'counted',
        questions: [{ question: 'q', msg: '其他入库QTRK1' }],
      },
    ];
    const answer = ({ body }: { body: Record<string, unknown> }) =>
      body.answers ? okAnswer({ success: [2], failures: [] }) : okAnswer({ success: [1], failures });
    await openList({ [`${api}/auditorPass`]: answer });
    tickRow('XSCK1');
    tickRow('XSCK2');
    await pressAudit();
    await screen.findByText('这些商品盘点时是否已盘在内？');
    await pressButton('已盘在内');
    await waitFor(() =>
      expect(actionCalls('auditorPass').map(({ body }) => [body.ids, body.confirmed])).toEqual([
        [[1, 2], false],
        [[2], false],
      ]),
    );
  });
  it('of several each is answered by itself, and none is left open', async () => {
    const questions = ['一', '二', '三'].map((goods) => ({ question: goods, msg: `盘点单KCPD1（${goods} +7）` }));
    const answer = ({ body }: { body: Record<string, unknown> }) =>
      body.answers
        ? okAnswer({ success: [1], failures: [] })
        : { code: 363, msg: '盘点时是否已盘在内？', data: { asks: 'counted', questions } };
    await openList({ [`${api}/auditorPass`]: answer });
    tickRow('XSCK1');
    await pressAudit();
    const answerOf = async (goods: string, label: string) =>
      fireEvent.click(
        within(await screen.findByRole('radiogroup', { name: `盘点单KCPD1（${goods} +7）` })).getByText(label),
      );
    await screen.findByText('以下商品盘点时是否已盘在内？');
    const goesOn = () => screen.getAllByRole('button', { name: /^确\s*定$/ }).at(-1) as HTMLButtonElement;
    expect(goesOn().disabled).toBe(true);
    await answerOf('一', '未盘在内');
    await answerOf('三', '未盘在内');
    expect(goesOn().disabled).toBe(true);
    await answerOf('二', '已盘在内');
    await waitFor(() => expect(goesOn().disabled).toBe(false));
    fireEvent.click(goesOn());
    await waitFor(() =>
      expect(actionCalls('auditorPass').at(-1)?.body.answers).toEqual({ 一: false, 二: true, 三: false }),
    );
  });
});
