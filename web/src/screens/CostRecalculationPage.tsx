/** 成本重算: a company's costs from a month on; the run that is under way with its progress, and those so far. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button, Flex, Progress, Space, Typography } from 'antd';
import { useEffect } from 'react';
import { confirmAct, type Consequence } from '@/engine/consequenceDialog';
import ListPage from '@/engine/list/ListPage';
import type { ListAnswer, Screen } from '@/engine/types';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { CompanyMonth, useCompanyMonth, useHistoryScreen } from './CompanyMonth';

const POLL_MS = 2000;
const UNFINISHED_STATES = '0,1';

function runningQuery(screen: Screen) {
  return {
    queryKey: [screen.name, 'running'],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.get<ListAnswer>(`${screen.api}/getList`, { status: UNFINISHED_STATES, per_page: 20, totals: 0 }, { signal }),
    refetchInterval: ({ state }: { state: { data?: ListAnswer } }) => (state.data?.data.length ? POLL_MS : false),
  } as const;
}

export default function CostRecalculationPage({ screen }: { screen: Screen }) {
  const { choice, choose, month } = useCompanyMonth(0);
  const client = useQueryClient();
  const { modal } = App.useApp();
  const running = useQuery(runningQuery(screen));
  const { data: unfinished, dataUpdatedAt } = running;
  const start = useMutation({
    mutationFn: () => api.post(`${screen.api}/start`, month),
    onSuccess: () => {
      showMessage('success', '已开始重算，进度见下');
      void client.invalidateQueries({ queryKey: [screen.name] });
    },
    onError: reportError,
  });
  const ask = async () => {
    const about = () => api.post<Consequence>(`${screen.api}/getConsequence`, month);
    if (await confirmAct(modal, { title: `重算成本 ${month.period} 起`, okText: '确认重算', about })) start.mutate();
  };
  const history = useHistoryScreen(screen);

  // The runs so far follow the one under way, its last step included.
  useEffect(() => {
    if (dataUpdatedAt) void client.invalidateQueries({ queryKey: [screen.name, 'list'] });
  }, [client, dataUpdatedAt, screen.name]);

  return (
    <Flex vertical gap={12}>
      <Alert
        type="info"
        title="从所选月份起，按业务日期重算各商品的移动加权平均成本，以差异行更正出库成本；已结账的期间不会改变，重算时可照常开单审核。"
      />
      {screen.actions.some(({ name }) => name === 'start') && (
        <Space wrap>
          <CompanyMonth screen={screen} label="起始期间" choice={choice} onChange={choose} />
          <Button type="primary" disabled={!month.company_id} loading={start.isPending} onClick={() => void ask()}>
            开始重算
          </Button>
        </Space>
      )}
      {unfinished?.data.map((row) => (
        <RunningStatus key={String(row.recalculation_id)} row={row} />
      ))}
      <Typography.Title level={5}>重算记录</Typography.Title>
      <ListPage screen={history} params={{}} />
    </Flex>
  );
}

function RunningStatus({ row }: { row: ListAnswer['data'][number] }) {
  const [done, total] = [Number(row.goods_done), Number(row.goods_total)];
  return (
    <Flex gap={12} align="center">
      <Typography.Text>{`${String(row.company_name)} ${String(row.period)} 起`}</Typography.Text>
      <Progress style={{ width: 320 }} percent={total ? Math.floor((done / total) * 100) : 0} status="active" />
      <Typography.Text type="secondary">{`${done} / ${total} 个商品`}</Typography.Text>
    </Flex>
  );
}
