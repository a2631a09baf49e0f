import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { okAnswer, renderPage } from '@/engine/harness';
import { ToDoCard } from './ToDoCard';

it('says that there is more than it shows, and shows it', async () => {
  const items = Array.from({ length: 13 }, (_, id) => ({
    id: String(id),
    type: 1,
    count: 1,
    content: `1 张单据${id}待审核`,
    url: `/sales/salesout?id=${id}`,
    since: null,
    bills: [],
  }));
  const { done } = renderPage(<ToDoCard />, {
    'v2/system/Console/getAwaitList': () => okAnswer([{ title: '待审核', count: 13, items }]),
  });
  const waiting = { name: /单据\d+待审核/ };
  expect((await screen.findAllByRole('link', waiting)).length).toBe(12);
  fireEvent.click(screen.getByRole('button', { name: '查看全部 13 项' }));
  expect(screen.getAllByRole('link', waiting).length).toBe(13);
  expect(screen.queryByRole('button', { name: /查看全部/ })).toBeNull();
  done();
});
