import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen, buildField } from '@/engine/fixtures';
import {
  findButton,
  stubElementSizes,
  okAnswer,
  pageAnswer,
  pressButton,
  renderPage,
  type FakeRoutes,
} from '@/engine/harness';
import type { Screen } from '@/engine/types';
import type { Addressed, Addressees, InformationInfo, AnnouncementInfo, AnnouncementKey } from '@/gen';
import AnnouncementEdit from './AnnouncementEdit';
import AnnouncementSee from './AnnouncementSee';
import InformationSee from './InformationSee';

const api = 'v2/system/MessageLog';
const audience = buildField({
  name: 'audience',
  label: '接收范围',
  type: 'enum',
  options: [
    { value: 1, label: '全部' },
    { value: 4, label: '指定公司' },
    { value: 5, label: '按角色' },
  ],
});
const described = (marks: Partial<Screen> = {}) =>
  buildBillScreen({
    name: 'message_log',
    label: '系统公告',
    family: 'resource',
    api,
    key: 'message_log_id',
    routes: { list: '/system/messageconfig', add: '/system/messageconfigAdd' },
    fields: [audience],
    ...marks,
  });
const stored: AnnouncementInfo = {
  revision: '801',
  message_log_id: 12,
  message_title: '盘点通知',
  message_abstract: '月末盘点',
  message_content: '**周五**盘点',
  company_id: 2,
  company_name: '华东公司',
  audience: 5,
  publish_at: '2026-11-20 09:00:00',
  expires_at: null,
  withdrawn_at: null,
  author_id: 7,
  author_name: '张三',
  state: 2,
  read_count: 1,
};
const ADDRESSEES: Addressees = {
  companies: [],
  roles: [{ id: 3, name: '开单员' }],
  reached: 2,
  read: 1,
  readers: [
    { realname: '李四', company_name: '华东公司', read_at: '2026-11-20 10:30:00' },
    { realname: '王五', company_name: '华东公司', read_at: null },
  ],
};
const base: FakeRoutes = {
  [`${api}/getInfo`]: () => okAnswer(stored),
  [`${api}/getAddressees`]: () => okAnswer(ADDRESSEES),
  [`${api}/save`]: () => okAnswer({ id: 12 }),
  'v2/system/Company/getDropdown': () => pageAnswer([{ company_id: 2, company_name: '华东公司' }]),
  'v2/system/Role/getDropdown': () => pageAnswer([{ role_id: 3, role_name: '开单员' }]),
};

let view: ReturnType<typeof renderPage>;
const sentCalls = (path: string) => view.calls.filter((call) => call.path === path);
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('an announcement', () => {
  const edit = async (params: Record<string, string>, routes: FakeRoutes = {}) => {
    view = renderPage(<AnnouncementEdit screen={described()} params={params} />, { ...base, ...routes });
    await screen.findByLabelText('标题');
  };

  it('needs a title and a text, shows how the text will look, and is published at once', async () => {
    await edit({});
    await pressButton('发布');
    expect(await screen.findByText('请输入标题')).toBeTruthy();
    expect(sentCalls(`${api}/save`)).toHaveLength(0);
    type('标题', '停电通知');
    type('正文', '今晚**停电**');
    expect((await screen.findByText('停电')).tagName).toBe('STRONG');
    await pressButton('发布');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('公告已发布'));
    const body: Addressed = {
      message_log_id: null,
      message_title: '停电通知',
      message_content: '今晚**停电**',
      company_id: 2,
      audience: 4,
      companies: [],
      roles: [],
      publish: 'now',
      publish_at: null,
      expires_at: null,
    };
    expect(sentCalls(`${api}/save`)[0]?.body).toEqual(body);
    expect(view.tabs.open).toHaveBeenCalledWith('/system/messageconfig', '系统公告', { keepAlive: true });
  });

  it('is kept as a draft, or waits for a moment that must be given', async () => {
    await edit({});
    type('标题', '停电通知');
    type('正文', '今晚');
    fireEvent.click(screen.getByRole('radio', { name: '定时' }));
    await pressButton('保存并定时发布');
    expect(await screen.findByText('请选择发布时间')).toBeTruthy();
    expect(sentCalls(`${api}/save`)).toHaveLength(0);
    fireEvent.click(screen.getByRole('radio', { name: '存为草稿' }));
    await pressButton('保存草稿');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('草稿已保存'));
    expect(sentCalls(`${api}/save`)[0]?.body).toMatchObject({ publish: 'draft', publish_at: null });
  });

  it('is changed with whom it is for and when it shows', async () => {
    await edit({ id: '12' });
    expect(await screen.findByText('开单员')).toBeTruthy();
    type('标题', '盘点改期');
    await pressButton('保存并定时发布');
    await waitFor(() => expect(sentCalls(`${api}/save`)).toHaveLength(1));
    const body: Partial<Addressed> = {
      message_log_id: 12,
      message_title: '盘点改期',
      audience: 5,
      roles: [3],
      companies: [],
      publish: 'at',
      publish_at: '2026-11-20 09:00:00',
    };
    expect(sentCalls(`${api}/save`)[0]?.body).toMatchObject(body);
  });

  it('stays as it was typed when the server refuses it', async () => {
    await edit({ id: '12' }, { [`${api}/save`]: () => ({ code: 400, msg: '发布时间不能早于现在' }) });
    type('标题', '盘点改期');
    await pressButton('保存并定时发布');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('发布时间不能早于现在'));
    expect(screen.getByLabelText<HTMLInputElement>('标题').value).toBe('盘点改期');
    expect(view.tabs.open).not.toHaveBeenCalled();
  });
});

describe('a published announcement', () => {
  it('shows whom it is for, and who has read it when', async () => {
    view = renderPage(<AnnouncementSee screen={described()} params={{ id: '12' }} />, base);
    expect(await screen.findByText('已读 1 / 2 人')).toBeTruthy();
    for (const shown of ['按角色', '开单员', '11-20 10:30', '未读', '长期有效'])
      expect(screen.getByText(shown)).toBeTruthy();
    expect(screen.getByText('周五').tagName).toBe('STRONG');
    await pressButton('修改');
    expect(view.tabs.open).toHaveBeenCalledWith('/system/messageconfigAdd?id=12', '修改系统公告');
  });

  it('is only looked at by who may not change it', async () => {
    view = renderPage(<AnnouncementSee screen={described({ actions: [] })} params={{ id: '12' }} />, base);
    await screen.findByText('已读 1 / 2 人');
    expect(findButton('修改')).toBeUndefined();
  });

  it('says why it could not be read', async () => {
    view = renderPage(<AnnouncementSee screen={described()} params={{ id: '12' }} />, {
      ...base,
      [`${api}/getInfo`]: () => ({ code: 400, msg: '公告不存在或无权访问' }),
    });
    expect(await screen.findByText('公告不存在或无权访问')).toBeTruthy();
  });
});

describe('an announcement to its reader', () => {
  const received: InformationInfo = {
    message_log_id: 12,
    is_read: 0,
    message_title: '盘点通知',
    message_abstract: null,
    message_content: '周五盘点',
    author: '张三',
    publish_at: '2026-11-20 09:00:00',
    read_at: null,
  };
  const read = 'v2/open/Message/readUserMessage';
  const open = async (info: InformationInfo) => {
    view = renderPage(
      <InformationSee
        screen={described({ name: 'information', api: 'v2/system/Information' })}
        params={{ id: '12' }}
      />,
      {
        'v2/system/Information/getInfo': () => okAnswer(info),
        [read]: () => okAnswer(null),
      },
    );
    await screen.findByText('周五盘点');
  };

  it('is read once it is opened', async () => {
    await open(received);
    expect(screen.getByText('张三 · 2026-11-20 09:00:00')).toBeTruthy();
    const body: AnnouncementKey = { message_log_id: 12 };
    await waitFor(() => expect(sentCalls(read).map((call) => call.body)).toEqual([body]));
  });

  it('is not read again', async () => {
    await open({ ...received, is_read: 1 });
    expect(sentCalls(read)).toHaveLength(0);
  });
});
