/** 系统公告: text with preview, audience, and publication time. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Card, Col, Form, Input, Radio, Row as Line, Select, Typography } from 'antd';
import dayjs, { type Dayjs } from 'dayjs';
import { useState } from 'react';
import { QueryFallback } from '@/engine/QueryFallback';
import { infoQuery } from '@/engine/queries';
import type { ListAnswer, Row, Screen } from '@/engine/types';
import type { Addressees } from '@/gen';
import { ALLOW_CLEAR } from '@/lib/clearOnDelete';
import { api, getSession } from '@/lib/api';
import { DatePicker } from '@/lib/DatePicker';
import { reportError, showMessage } from '@/lib/errors';
import { RichText } from '@/lib/RichText';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { addresseesQuery, listAudiences, COMPANIES, EVERYBODY, ROLES } from './announcement';

interface Announcement {
  message_title: string;
  message_abstract?: string;
  message_content: string;
  company_id: number;
  audience: number;
  companies: number[];
  roles: number[];
  publish: 'now' | 'at' | 'draft';
  publish_at?: Dayjs | null;
  expires_at?: Dayjs | null;
}

const STAMP_FORMAT = 'YYYY-MM-DD HH:mm:ss';

export default function AnnouncementEdit({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const id = Number(params.id ?? 0);
  const stored = useQuery({ ...infoQuery(screen, id), enabled: id > 0, staleTime: Infinity });
  const addressees = useQuery({ ...addresseesQuery(id), staleTime: Infinity });
  if ((id > 0 && !stored.data) || !addressees.data)
    return <QueryFallback title="公告加载失败" queries={id > 0 ? [stored, addressees] : [addressees]} />;
  return <AnnouncementForm key={id} screen={screen} id={id} stored={stored.data} addressees={addressees.data} />;
}

function buildInitialValues(stored: Row | undefined, addressees: Addressees): Partial<Announcement> {
  const session = getSession();
  const audience = session?.company_admin_id == null ? COMPANIES : EVERYBODY;
  if (!stored)
    return { audience, company_id: session?.company_id, companies: [], roles: [], publish: 'now', message_content: '' };
  const moment = (name: string) => (stored[name] ? dayjs(String(stored[name])) : null);
  return {
    message_title: String(stored.message_title),
    message_abstract: String(stored.message_abstract ?? ''),
    message_content: String(stored.message_content),
    company_id: Number(stored.company_id),
    audience: Number(stored.audience),
    companies: addressees.companies.map(({ id }) => id),
    roles: addressees.roles.map(({ id }) => id),
    publish: stored.publish_at ? 'at' : 'draft',
    publish_at: moment('publish_at'),
    expires_at: moment('expires_at'),
  };
}

function AnnouncementForm({
  screen,
  id,
  stored,
  addressees,
}: {
  screen: Screen;
  id: number;
  stored: Row | undefined;
  addressees: Addressees;
}) {
  const tabs = useTabs();
  const client = useQueryClient();
  const [form] = Form.useForm<Announcement>();
  const [started] = useState(() => buildInitialValues(stored, addressees));
  const audience = Form.useWatch('audience', form) ?? started.audience;
  const publish = Form.useWatch('publish', form) ?? started.publish;
  const content = Form.useWatch('message_content', form) ?? started.message_content ?? '';
  const companies = useNameOptions('company', 'v2/system/Company', 'company_id', 'company_name');
  const roles = useNameOptions('role', 'v2/system/Role', 'role_id', 'role_name');
  const save = useMutation({
    mutationFn: ({ publish_at, expires_at, ...values }: Announcement) =>
      api.post<{ id: number }>('v2/system/MessageLog/save', {
        ...values,
        message_log_id: id || null,
        companies: values.companies ?? [],
        roles: values.roles ?? [],
        publish_at: publish_at?.format(STAMP_FORMAT) ?? null,
        expires_at: expires_at?.format(STAMP_FORMAT) ?? null,
      }),
    onSuccess: (_, values) => {
      showMessage(
        'success',
        { now: '公告已发布', at: '公告已保存，到时间后显示', draft: '草稿已保存' }[values.publish],
      );
      void client.invalidateQueries({ queryKey: [screen.name] });
      tabs.open(screen.routes.list, screen.label, { keepAlive: true });
    },
    onError: reportError,
  });
  return (
    <Form<Announcement>
      form={form}
      layout="vertical"
      initialValues={started}
      onFinish={(values) => save.mutate(values)}
    >
      <Line gutter={8}>
        <Col flex="auto" style={{ minWidth: 0, width: 0 }}>
          <Card size="small" title="内容">
            <Form.Item
              name="message_title"
              label="标题"
              rules={[{ required: true, whitespace: true, message: '请输入标题' }]}
            >
              <Input maxLength={100} showCount />
            </Form.Item>
            <Form.Item name="message_abstract" label="摘要">
              <Input maxLength={200} showCount />
            </Form.Item>
            <Form.Item
              name="message_content"
              label="正文"
              extra="可用 # 标题、- 列表、**加粗**、[文字](网址)"
              rules={[{ required: true, whitespace: true, message: '请输入正文' }]}
            >
              <Input.TextArea autoSize={{ minRows: 8, maxRows: 18 }} maxLength={20_000} showCount />
            </Form.Item>
            {content.trim() && (
              <>
                <Typography.Text type="secondary">预览</Typography.Text>
                <Card size="small" style={{ marginTop: 4 }}>
                  <RichText text={content} />
                </Card>
              </>
            )}
          </Card>
        </Col>
        <Col flex="360px">
          <Card size="small" title="接收与发布">
            <Form.Item name="company_id" label="发布公司" rules={[{ required: true, message: '请选择发布公司' }]}>
              <Select options={companies} showSearch={{ optionFilterProp: 'label' }} />
            </Form.Item>
            <Form.Item name="audience" label="接收范围">
              <Select options={listAudiences(screen)} />
            </Form.Item>
            {audience === COMPANIES && (
              <Form.Item name="companies" label="还发给这些公司">
                <Select
                  mode="multiple"
                  allowClear={ALLOW_CLEAR}
                  options={companies}
                  showSearch={{ optionFilterProp: 'label' }}
                  placeholder="不选则只发给发布公司"
                />
              </Form.Item>
            )}
            {audience === ROLES && (
              <Form.Item
                name="roles"
                label="接收的角色"
                rules={[{ required: true, type: 'array', min: 1, message: '请选择接收的角色' }]}
              >
                <Select
                  mode="multiple"
                  allowClear={ALLOW_CLEAR}
                  options={roles}
                  showSearch={{ optionFilterProp: 'label' }}
                />
              </Form.Item>
            )}
            <Form.Item name="publish" label="发布">
              <Radio.Group
                options={[
                  { value: 'now', label: '立即' },
                  { value: 'at', label: '定时' },
                  { value: 'draft', label: '存为草稿' },
                ]}
              />
            </Form.Item>
            {publish === 'at' && (
              <Form.Item name="publish_at" label="发布时间" rules={[{ required: true, message: '请选择发布时间' }]}>
                <DatePicker showTime style={{ width: '100%' }} />
              </Form.Item>
            )}
            <Form.Item name="expires_at" label="过期时间" extra="不填则长期有效">
              <DatePicker showTime style={{ width: '100%' }} />
            </Form.Item>
            <Button type="primary" htmlType="submit" block loading={save.isPending}>
              {publish === 'draft' ? '保存草稿' : publish === 'at' ? '保存并定时发布' : '发布'}
            </Button>
          </Card>
        </Col>
      </Line>
    </Form>
  );
}

const MAX_NAMES = 500;

/** Names to choose from: those within the user's own scope. */
function useNameOptions(resource: string, path: string, key: string, title: string) {
  const { data } = useQuery({
    queryKey: [resource, 'names'],
    queryFn: ({ signal }) =>
      api.get<ListAnswer>(`${path}/getDropdown`, { keyword: '', per_page: MAX_NAMES, page: 1 }, { signal }),
    meta: { quiet: true },
  });
  return (data?.data ?? []).map((row) => ({ value: Number(row[key]), label: String(row[title]) }));
}
