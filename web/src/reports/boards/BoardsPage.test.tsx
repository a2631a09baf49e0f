import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { findButton, okAnswer, pageAnswer, pressButton, renderPage } from '@/engine/harness';
import BoardsPage from './BoardsPage';
// Brought in before a test waits for them.
import './PublishDialog';
import './VersionsDrawer';

const board = {
  board_id: 3,
  board_title: '畅销看板',
  board_author: '张三',
  board_version: 2,
  published_at: '2026-11-20 09:00:00',
  publish_note: null,
  role_names: '销售经理',
  board_state: '已发布',
  is_own: '是',
};
const versions = {
  board_id: 3,
  title: '畅销看板',
  role_ids: [7],
  withdrawn: false,
  versions: [
    { version: 2, at: '2026-11-20 09:00:00', note: null, shown: true, problem: null },
    {
      version: 1,
      at: '2026-11-01 09:00:00',
      note: '第一版',
      shown: false,
      problem: '图表“图”的数据集“旧的”不在报表目录中',
    },
  ],
};
const choices = {
  boards: [{ source_id: 11, title: '畅销看板', board_id: 3, role_ids: [7] }],
  roles: [{ role_id: 7, role_name: '销售经理' }],
};
let view: ReturnType<typeof renderPage>;

function start(actions = ['list', 'publish'], own = '是') {
  const described = {
    ...buildBillScreen(),
    actions: actions.map((name) => ({ name, label: name, right: `board:${name}` })),
  };
  view = renderPage(<BoardsPage screen={described as never} />, {
    'v2/report/Board/getList': () => pageAnswer([{ ...board, is_own: own }]),
    'v2/report/Board/getChoices': () => okAnswer(choices),
    'v2/report/Board/getVersions': () => okAnswer(versions),
    'v2/report/Board/publish': () => okAnswer({ id: 3 }),
    'v2/report/Board/showVersion': () => okAnswer(null),
    'v2/report/Board/open': () => okAnswer({ address: '//erp.test:8002/open?ticket=t', expires_in: 60 }),
  });
}
const sentBodies = (call: string) =>
  view.calls.filter(({ path }) => path === `v2/report/Board/${call}`).map(({ body }) => body);
async function take(list: string, name: string) {
  fireEvent.mouseDown(await screen.findByLabelText(list));
  fireEvent.click(await screen.findByText(name, { selector: '.ant-select-item-option-content' }));
}

afterEach(() => view.done());

describe('published boards', () => {
  it('are published to roles, one that is published already as a new version', async () => {
    start();
    await pressButton('发布看板');
    await take('看板', '畅销看板（已发布，将成为新版本）');
    // It stays with whom it is published to.
    await pressButton('发布');
    await waitFor(() => expect(sentBodies('publish')).toEqual([{ source_id: 11, role_ids: [7], note: null }]));
  });

  it('are put back to an earlier version, of which it is told what a release lacks', async () => {
    start();
    await pressButton('版本');
    await screen.findByText('图表“图”的数据集“旧的”不在报表目录中');
    await pressButton('换回');
    await waitFor(() => expect(sentBodies('showVersion')).toEqual([{ board_id: 3, version: 1 }]));
  });

  it('open in a window of their own, for whoever they are published to', async () => {
    start(['list'], '否');
    const replace = vi.fn();
    vi.stubGlobal('open', () => ({ location: { replace }, close: vi.fn(), opener: null }));
    await pressButton('打开');
    await waitFor(() => expect(String(replace.mock.calls[0]?.[0])).toContain('//erp.test:8002/open?ticket=t'));
    expect([findButton('发布看板'), findButton('版本'), findButton('撤回')]).toEqual([undefined, undefined, undefined]);
  });
});
