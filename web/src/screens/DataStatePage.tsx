/** 报表数据状态: state of the refresh worker, delay of the figures, and its last cycles. */
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { Alert, Badge, Card, Flex, Spin, Statistic } from 'antd';
import { lazy, Suspense, useEffect } from 'react';
import ListPage from '@/engine/list/ListPage';
import type { Screen } from '@/engine/types';
import type { FailedTest, WorkerState } from '@/gen';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { usePageActive } from '@/lib/tabs';

const CycleChart = lazy(() => import('./CycleChart'));
const CHART_HEIGHT = 260;
const POLL_INTERVAL = 5_000;
/** From here on a change waits longer than readers are promised. */
const PROMISED_SECONDS = 5;

const states = {
  idle: ['success', '正常，等待新数据'],
  running: ['processing', '正在刷新'],
  failed: ['error', '刷新失败，正在重试'],
  silent: ['error', '刷新进程没有运行'],
} as const;

function stateQuery(screen: Screen) {
  return queryOptions({
    queryKey: [screen.name, 'state'],
    queryFn: ({ signal }) => api.get<WorkerState>(`${screen.api}/getState`, {}, { signal }),
    staleTime: 0,
  });
}

export default function DataStatePage({ screen }: { screen: Screen }) {
  const active = usePageActive();
  const client = useQueryClient();
  const { data } = useQuery({ ...stateQuery(screen), refetchInterval: active ? POLL_INTERVAL : false });
  const newest = data?.points.at(-1)?.ended_at;

  // The list follows the newest cycle.
  useEffect(() => {
    if (newest) void client.invalidateQueries({ queryKey: [screen.name, 'list'] });
  }, [client, newest, screen.name]);

  return (
    <Flex vertical gap={12}>
      <Spin spinning={!data}>{data ? <WorkerStatus now={data} /> : <div style={{ height: CHART_HEIGHT }} />}</Spin>
      <ListPage screen={screen} params={{}} />
    </Flex>
  );
}

function WorkerStatus({ now }: { now: WorkerState }) {
  const [badge, words] = states[now.state as keyof typeof states];
  const late = now.waiting > PROMISED_SECONDS || (now.lag ?? 0) > PROMISED_SECONDS;
  return (
    <Flex vertical gap={12}>
      {now.failed_tests.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={`数据校验未通过，读者看到的是 ${now.refreshed_at ?? '尚未发布'} 的数据`}
          description={<FailedTests tests={now.failed_tests} />}
        />
      )}
      {now.error && (
        <Alert
          type="error"
          showIcon
          title={`从 ${now.failing_since ?? ''} 起失败 ${now.failures} 次`}
          description={now.error}
        />
      )}
      <Flex gap={12} wrap>
        <StateFigure title="状态" value={words} prefix={<Badge status={badge} />} />
        <StateFigure title="最近一次成功" value={now.last_ok ?? '尚无'} />
        <StateFigure
          title="数据更新于"
          value={now.refreshed_at ?? '尚未发布'}
          suffix={now.snapshot === null ? undefined : `快照 ${now.snapshot}`}
        />
        <StateFigure
          title="滞后：提交到可见"
          value={formatSeconds(now.waiting || now.lag)}
          late={late}
          suffix={`95% 不超过 ${formatSeconds(now.lag_p95)}`}
        />
        <StateFigure
          title="每次用时（中位）"
          value={formatSeconds(now.p50)}
          suffix={`95% 不超过 ${formatSeconds(now.p95)}`}
        />
        <StateFigure title="最近读取行数" value={now.kept_rows.toLocaleString('zh-CN')} suffix={`${now.kept} 次`} />
        <StateFigure
          title="最近失败"
          value={String(now.kept_failures)}
          late={now.kept_failures > 0}
          suffix={now.kept_since ? `次，${now.kept_since} 起` : '次'}
        />
        <StateFigure title="最近校验" value={now.proved_at ?? '尚无'} suffix={`${now.tests} 项`} />
      </Flex>
      <Suspense fallback={<div style={{ height: CHART_HEIGHT }} />}>
        <CycleChart points={now.points} height={CHART_HEIGHT} />
      </Suspense>
    </Flex>
  );
}

function FailedTests({ tests }: { tests: FailedTest[] }) {
  return tests.map(({ name, label, rows }) => <div key={name}>{`${label}（${name}）：${rows} 行不符`}</div>);
}

interface StateFigureProps {
  title: string;
  value: string;
  prefix?: React.ReactNode;
  suffix?: string;
  late?: boolean;
}

function StateFigure({ title, value, prefix, suffix, late }: StateFigureProps) {
  return (
    <Card size="small" style={{ flex: '1 1 220px' }}>
      <Statistic
        title={title}
        value={value}
        prefix={prefix}
        formatter={String}
        suffix={suffix && <small style={{ fontSize: 12, opacity: 0.65 }}>{suffix}</small>}
        styles={{ content: { fontSize: 16, color: late ? '#cf1322' : undefined } }}
      />
    </Card>
  );
}

function formatSeconds(value: number | null): string {
  return value === null ? '未知' : `${value.toFixed(1)} 秒`;
}
