import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, pressButton, renderPage } from '@/engine/harness';
import SmsBillPage from './SmsBillPage';

const api = 'v2/system/SmsBill';
const send = {
  name: 'send',
  label: '发送',
  scope: 'batch' as const,
  from: null,
  confirm: null,
  reason: false,
  danger: false,
};
const description = { ...buildBillScreen(), name: 'sms_bill', family: 'resource' as const, api, actions: [send] };

let view: ReturnType<typeof renderPage>;
const sentCalls = () => view.calls.filter((call) => call.path === 'v2/system/Sms/sendSms');

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('sending a message', () => {
  it('takes a mainland number, a template, and what its places are filled with', async () => {
    view = renderPage(<SmsBillPage screen={description} params={{}} />, {
      [`${api}/getList`]: () => pageAnswer([]),
      [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
      'v2/system/Sms/getSmsTemplate': () =>
        okAnswer([{ sms_template_id: 3, template_name: '发货通知', content: '您好{name}，货已发出' }]),
      'v2/system/Sms/sendSms': () => okAnswer({ sms_bill_id: 1 }),
    });
    await pressButton('发送短信');
    fireEvent.mouseDown(document.querySelector('.ant-modal .ant-select-content, .ant-modal .ant-select-selector')!);
    fireEvent.click(await screen.findByText('发货通知'));
    fireEvent.change(await screen.findByLabelText('name'), { target: { value: '张三' } });
    expect(screen.getByText('您好张三，货已发出')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('手机号'), { target: { value: '2380013800' } });
    const confirm = document.querySelector('.ant-modal-footer .ant-btn-primary')!;
    fireEvent.click(confirm);
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('目前只支持中国大陆的手机号码'));
    expect(sentCalls()).toHaveLength(0);
    fireEvent.change(screen.getByLabelText('手机号'), { target: { value: '13800138000' } });
    fireEvent.click(confirm);
    await waitFor(() =>
      expect(sentCalls()[0]?.body).toEqual({ mobile: '13800138000', sms_template_id: 3, values: { name: '张三' } }),
    );
  });
});
