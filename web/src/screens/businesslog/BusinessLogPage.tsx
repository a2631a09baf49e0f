/** 业务日志: the users' actions, newest first; a row expands to its changes and links to its bill. */
import {
  Button,
  Empty,
  Flex,
  Input,
  Result,
  Select,
  Space,
  Table,
  Tag,
  Tooltip,
  Typography,
  type TableProps,
} from 'antd';
import type { Dayjs } from 'dayjs';
import { useState } from 'react';
import { RefSelect } from '@/engine/fields/RefSelect';
import { useExport } from '@/engine/list/useExport';
import { findAction, findRefField, type Screen } from '@/engine/types';
import type { Choices, BusinessLogEntry, BusinessLogPage as LogPage } from '@/gen';
import { datePresets, dateSpans } from '@/lib/businessClock';
import { ALLOW_CLEAR } from '@/lib/clearOnDelete';
import { api, type Query } from '@/lib/api';
import { DatePicker } from '@/lib/DatePicker';
import { isCancelled } from '@/lib/errors';
import { DATE_FORMAT } from '@/lib/format';
import { useInfiniteQuery, useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { EntryChanges } from './EntryChanges';

interface Filter {
  company: { id: number; name: string } | null;
  resource?: string;
  action?: string;
  bill_no: string;
  user_name: string;
  days: [Dayjs | null, Dayjs | null] | null;
}

const RANGE_PRESETS = datePresets('今天', '近7天', '近30天');

function buildQuery({ company, resource, action, bill_no, user_name, days }: Filter): Query {
  return {
    company_id: company?.id,
    resource,
    action,
    bill_no: bill_no.trim() || undefined,
    user_name: user_name.trim() || undefined,
    at_start: days?.[0]?.format(DATE_FORMAT),
    at_end: days?.[1]?.format(DATE_FORMAT),
  };
}

export default function BusinessLogPage({ screen }: { screen: Screen }) {
  const tabs = useTabs();
  const [filter, setFilter] = useState<Filter>({ company: null, bill_no: '', user_name: '', days: dateSpans.近30天() });
  const [query, setQuery] = useState<Query>(() => buildQuery(filter));
  const change = (changes: Partial<Filter>) => setFilter((before) => ({ ...before, ...changes }));
  const choices = useQuery({
    queryKey: [screen.name, 'choices'],
    queryFn: ({ signal }) => api.get<Choices>(`${screen.api}/getChoices`, {}, { signal }),
    staleTime: Infinity,
  });
  const log = useInfiniteQuery({
    queryKey: [screen.name, 'page', query],
    queryFn: ({ pageParam, signal }) =>
      api.get<LogPage>(`${screen.api}/getPage`, { ...query, before: pageParam, per_page: 50 }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next ?? undefined,
  });
  const exporting = useExport(screen);
  const rows = log.data?.pages.flatMap(({ data }) => data) ?? [];
  const company = findRefField(screen, 'company_id');
  const search = () => {
    const next = buildQuery(filter);
    if (JSON.stringify(next) === JSON.stringify(query)) void log.refetch();
    else setQuery(next);
  };
  const columns: TableProps<BusinessLogEntry>['columns'] = [
    { title: '时间', dataIndex: 'at', width: 150 },
    { title: '操作人', width: 150, render: (_, row) => <LogUser entry={row} /> },
    { title: '操作', width: 90, render: (_, row) => <Tag color={ACTION_COLORS[row.action]}>{row.action_name}</Tag> },
    { title: '单据/资料', dataIndex: 'resource_name', width: 130, ellipsis: true },
    {
      title: '单据号',
      width: 180,
      render: (_, row) => {
        const name = row.bill_no ?? (row.route ? `#${row.record_id}` : '');
        return row.route ? (
          <Typography.Link onClick={() => tabs.open(row.route!, `${row.resource_name}详情`)}>{name}</Typography.Link>
        ) : (
          name
        );
      },
    },
    { title: '变更内容', ellipsis: true, render: (_, row) => <ChangeSummary entry={row} /> },
    { title: '公司', dataIndex: 'company_name', width: 150, ellipsis: true },
  ];
  if (log.error && !isCancelled(log.error) && !log.data)
    return <Result status="warning" title="日志加载失败" subTitle={log.error.message} />;
  return (
    <Flex vertical gap={8}>
      <Space wrap size={8}>
        <DatePicker.RangePicker
          aria-label="日期"
          allowEmpty={[true, true]}
          value={filter.days}
          presets={RANGE_PRESETS}
          onChange={(days) => change({ days })}
        />
        {company && (
          <div style={{ width: 160 }}>
            <RefSelect
              field={{ ...company, required: false }}
              value={filter.company?.id ?? null}
              label={filter.company?.name ?? null}
              onChange={(id, name) => change({ company: typeof id === 'number' ? { id, name: name ?? '' } : null })}
            />
          </div>
        )}
        <Select
          allowClear={ALLOW_CLEAR}
          showSearch={{ optionFilterProp: 'label' }}
          aria-label="单据/资料"
          placeholder="单据/资料"
          style={{ width: 140 }}
          options={choices.data?.resources ?? []}
          value={filter.resource}
          onChange={(resource) => change({ resource })}
        />
        <Select
          allowClear={ALLOW_CLEAR}
          showSearch={{ optionFilterProp: 'label' }}
          aria-label="操作"
          placeholder="操作"
          style={{ width: 110 }}
          options={choices.data?.actions ?? []}
          value={filter.action}
          onChange={(action) => change({ action })}
        />
        <Input
          aria-label="单据号"
          placeholder="单据号"
          allowClear
          style={{ width: 140 }}
          value={filter.bill_no}
          onPressEnter={search}
          onChange={(event) => change({ bill_no: event.target.value })}
        />
        <Input
          aria-label="操作人"
          placeholder="操作人"
          allowClear
          style={{ width: 110 }}
          value={filter.user_name}
          onPressEnter={search}
          onChange={(event) => change({ user_name: event.target.value })}
        />
        <Button type="primary" onClick={search} loading={log.isFetching && !log.isFetchingNextPage}>
          查询
        </Button>
        {findAction(screen, 'export') && (
          <Button loading={exporting.isPending} onClick={() => exporting.mutate(query)}>
            导出
          </Button>
        )}
      </Space>
      <Table<BusinessLogEntry>
        size="small"
        rowKey="log_id"
        loading={log.isFetching && !log.isFetchingNextPage}
        dataSource={rows}
        columns={columns}
        pagination={false}
        scroll={{ x: 1050, y: 'calc(100vh - 240px)' }}
        locale={{ emptyText: <Empty description="没有符合的日志" /> }}
        expandable={{
          expandRowByClick: true,
          rowExpandable: ({ changes, reason }) => changes.length > 0 || Boolean(reason),
          expandedRowRender: (entry) => <EntryChanges entry={entry} />,
        }}
        footer={() => (
          <Flex justify="center">
            {log.hasNextPage ? (
              <Button type="link" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                加载更早的 50 条
              </Button>
            ) : (
              <Typography.Text type="secondary">已到最早一条，共 {rows.length} 条</Typography.Text>
            )}
          </Flex>
        )}
      />
    </Flex>
  );
}

const ACTION_COLORS: Partial<Record<string, string>> = {
  add: 'green',
  edit: 'blue',
  del: 'red',
  invalid: 'red',
  auditorPass: 'cyan',
  antiAuditor: 'orange',
  auditorNoPass: 'orange',
  imitate: 'gold',
};

/** Prefix of the server's name of an integration token that acted for a user. */
const TOKEN_MARK = '接口令牌';

function LogUser({ entry }: { entry: BusinessLogEntry }) {
  if (!entry.imitator_name) return entry.user_name;
  if (entry.imitator_name.startsWith(TOKEN_MARK)) {
    return (
      <>
        {entry.user_name} <Tag color="blue">{entry.imitator_name}</Tag>
      </>
    );
  }
  return (
    <Tooltip title={`由 ${entry.imitator_name} 模拟登录操作`}>
      {entry.user_name} <Tag color="orange">由 {entry.imitator_name} 模拟</Tag>
    </Tooltip>
  );
}

const MAX_SHOWN = 3;

/** The first changes in a line; the rest when the row is opened. */
function ChangeSummary({ entry }: { entry: BusinessLogEntry }) {
  if (entry.changes.length === 0) return entry.reason ?? '';
  const texts = entry.changes
    .slice(0, MAX_SHOWN)
    .map(({ label, before, after }) =>
      before === null ? `${label} ${after ?? '空'}` : `${label} ${before} → ${after ?? '空'}`,
    );
  const rest = entry.changes.length - MAX_SHOWN;
  return `${entry.reason ? `${entry.reason}；` : ''}${texts.join('；')}${rest > 0 ? ` 等 ${entry.changes.length} 项` : ''}`;
}
