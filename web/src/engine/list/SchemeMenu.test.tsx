import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubElementSizes, okAnswer, pressButton, renderPage } from '../harness';
import { SchemeMenu } from './SchemeMenu';

const kept = {
  preference_id: 1,
  kind: 'scheme',
  screen: 'sales_summary',
  name: '上海',
  value: {},
  is_public: false,
  is_default: true,
  mine: true,
};
const used = '“上海”正用于订阅：销售综合报表（每天 08:00），请先在“我的订阅”中为它们另选筛选或删除订阅';

let view: ReturnType<typeof renderPage>;
beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('kept queries', () => {
  it('tells which subscriptions go by one that is to be deleted, and keeps it', async () => {
    view = renderPage(<SchemeMenu screen="sales_summary" readQuery={() => ({})} onApply={() => undefined} />, {
      'v2/open/UserPreference/get': () => okAnswer([kept]),
      'v2/open/UserPreference/del': () => ({ code: 400, msg: used }),
    });
    await pressButton('查询方案');
    fireEvent.click(await screen.findByLabelText('删除上海'));
    await waitFor(() => expect(view.told.map(({ msg }) => msg)).toEqual([used]));
    expect(screen.getByText('上海')).toBeTruthy();
  });
});
