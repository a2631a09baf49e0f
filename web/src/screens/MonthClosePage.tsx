/** 月末结账: the questions of a company's month as a list to work off, close and open, and the closes so far. */
import { CheckCircleFilled, CloseCircleFilled, WarningFilled } from '@ant-design/icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button, Flex, Input, Space, Table, Typography, type TableColumnType } from 'antd';
import { confirmAct, type Consequence } from '@/engine/consequenceDialog';
import ListPage from '@/engine/list/ListPage';
import { useStackedColumns } from '@/engine/stackedColumns';
import type { Screen } from '@/engine/types';
import type { ObstacleRow, QuestionAnswer } from '@/gen';
import { api } from '@/lib/api';
import { isCancelled, reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { CompanyMonth, useCompanyMonth, useHistoryScreen, type Month } from './CompanyMonth';

function questionsQuery(path: string, month: Month) {
  return {
    queryKey: ['month_close', 'questions', month],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.get<QuestionAnswer[]>(`${path}/getQuestions`, { ...month }, { signal }),
    staleTime: 0,
  };
}

type PeriodCall = 'closePeriod' | 'openPeriod';

export default function MonthClosePage({ screen }: { screen: Screen }) {
  const { choice, choose, month } = useCompanyMonth(1);
  const { modal } = App.useApp();
  const client = useQueryClient();
  const questions = useQuery({ ...questionsQuery(screen.api, month), enabled: month.company_id > 0 });
  const blocked = questions.data?.some((item) => item.blocking && item.count > 0) ?? true;
  const runCall = useMutation({
    mutationFn: ({ call, ...more }: { call: PeriodCall; reason?: string }) =>
      api.post<{ period: string; bill_count: number }>(`${screen.api}/${call}`, { ...month, ...more }),
    onSuccess: ({ bill_count }, { call }) => {
      showMessage(
        'success',
        call === 'closePeriod' ? `已结账，锁定 ${bill_count} 张单据` : `已反结账，解锁 ${bill_count} 张单据`,
      );
      void client.invalidateQueries({ queryKey: ['month_close'] });
    },
    onError: (error) => {
      reportError(error);
      void questions.refetch();
    },
  });
  const ask = async (call: PeriodCall) => {
    let reason = '';
    const opens = call === 'openPeriod';
    const agreed = await confirmAct(modal, {
      title: `${opens ? '反结账' : '结账'} ${month.period}`,
      okText: opens ? '确认反结账' : '确认结账',
      danger: opens,
      about: () => api.post<Consequence>(`${screen.api}/getConsequence`, { action: call, ...month }),
      content: opens && (
        <Input
          aria-label="反结账原因"
          placeholder="请填写反结账原因"
          maxLength={200}
          onChange={(event) => (reason = event.target.value)}
        />
      ),
      missingReason: () => (opens && reason.trim() === '' ? '请填写反结账原因' : null),
    });
    if (agreed) runCall.mutate({ call, ...(opens ? { reason: reason.trim() } : {}) });
  };
  const may = (name: string) => screen.actions.some((action) => action.name === name);
  const history = useHistoryScreen(screen);

  return (
    <Flex vertical gap={12}>
      <Space wrap>
        <CompanyMonth screen={screen} label="会计期间" choice={choice} onChange={choose} />
        <Button onClick={() => void questions.refetch()} loading={questions.isFetching} disabled={!month.company_id}>
          检查
        </Button>
        {may('closePeriod') && (
          <Button
            type="primary"
            disabled={!month.company_id || blocked}
            loading={runCall.isPending}
            onClick={() => void ask('closePeriod')}
          >
            结账
          </Button>
        )}
        {may('openPeriod') && (
          <Button
            danger
            disabled={!month.company_id}
            loading={runCall.isPending}
            onClick={() => void ask('openPeriod')}
          >
            反结账
          </Button>
        )}
      </Space>
      {questions.error && !isCancelled(questions.error) && (
        <Alert type="error" showIcon title={questions.error.message} />
      )}
      <QuestionTable questions={questions.data ?? []} loading={questions.isLoading} />
      <Typography.Title level={5}>结账记录</Typography.Title>
      <ListPage screen={history} params={{}} />
    </Flex>
  );
}

function QuestionTable({ questions, loading }: { questions: QuestionAnswer[]; loading: boolean }) {
  const columns: TableColumnType<QuestionAnswer>[] = [
    { title: '', width: 40, align: 'center', render: (_, item) => <Verdict item={item} /> },
    { title: '检查项', dataIndex: 'label', width: 300 },
    { title: '不符', width: 90, align: 'right', render: (_, item) => item.count || '' },
    { title: '处理建议', render: (_, item) => (item.count ? item.advice : '') },
  ];
  return (
    <Table
      size="small"
      rowKey="name"
      columns={useStackedColumns(columns)}
      dataSource={questions}
      loading={loading}
      pagination={false}
      expandable={{
        rowExpandable: ({ count }) => count > 0,
        expandedRowRender: (item) => <Obstacles item={item} />,
      }}
    />
  );
}

function Verdict({ item }: { item: QuestionAnswer }) {
  if (item.count === 0) return <CheckCircleFilled aria-label="通过" style={{ color: 'var(--ant-color-success)' }} />;
  if (!item.blocking) return <WarningFilled aria-label="提醒" style={{ color: 'var(--ant-color-warning)' }} />;
  return <CloseCircleFilled aria-label="未通过" style={{ color: 'var(--ant-color-error)' }} />;
}

function Obstacles({ item }: { item: QuestionAnswer }) {
  const tabs = useTabs();
  const columns: TableColumnType<ObstacleRow>[] = [
    {
      title: '单据号/序号',
      width: 260,
      render: (_, { serial, route }) =>
        route ? <Typography.Link onClick={() => tabs.open(route, serial)}>{serial}</Typography.Link> : serial,
    },
    { title: '原因', dataIndex: 'msg' },
  ];
  return (
    <>
      <Table
        size="small"
        rowKey={(row) => `${row.serial}${row.msg}`}
        columns={useStackedColumns(columns)}
        dataSource={item.rows}
        pagination={false}
      />
      {item.count > item.rows.length && (
        <Typography.Text type="secondary">另有 {item.count - item.rows.length} 条未列出</Typography.Text>
      )}
    </>
  );
}
