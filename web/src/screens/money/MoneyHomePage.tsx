/** 资金首页: recent receipts and payments, amounts due, and the accounts with their balances. */
import { Card, Flex, Spin, Statistic } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { RefSelect } from '@/engine/fields/RefSelect';
import ListPage from '@/engine/list/ListPage';
import { labelKey } from '@/engine/list/listState';
import { findRefField, type Screen } from '@/engine/types';
import { formatMoney } from '@/lib/format';
import { LinkButton } from '@/lib/LinkButton';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { summaryQuery, type DueSummary, type MoneySummary } from './summary';

const FlowChart = lazy(() => import('./FlowChart'));
const CHART_HEIGHT = 260;

interface CompanyChoice {
  id: number;
  name: string;
}

export default function MoneyHomePage({ screen }: { screen: Screen }) {
  const [company, choose] = useState<CompanyChoice>({ id: 0, name: '' });
  const { data } = useQuery(summaryQuery(screen, company.id));
  const field = findRefField(screen, 'company_id');
  return (
    <Flex vertical gap={12}>
      {field && (
        <div style={{ width: 260 }}>
          <RefSelect
            field={field}
            value={company.id || undefined}
            label={company.name}
            onChange={(id, name) => choose({ id: Number(id ?? 0), name: String(name ?? '') })}
          />
        </div>
      )}
      <Spin spinning={!data}>
        {data ? <SummaryFigures summary={data} company={company} /> : <div style={{ height: CHART_HEIGHT }} />}
      </Spin>
      <ListPage screen={screen} params={{}} />
    </Flex>
  );
}

function SummaryFigures({ summary, company }: { summary: MoneySummary; company: CompanyChoice }) {
  const day = summary.days.at(-1);
  const { routes } = summary;
  const figures: [string, string | undefined, string?][] = [
    ['账户余额', summary.balance],
    ['今日收款', day?.received, routes.received],
    ['今日付款', day?.paid, routes.paid],
    ['本月收款', summary.month_received, routes.month_received],
    ['本月付款', summary.month_paid, routes.month_paid],
  ];
  return (
    <Flex vertical gap={12}>
      <Flex gap={12} wrap>
        {figures.map(([title, value, route]) => (
          <Card key={title} size="small" style={{ flex: '1 1 160px' }}>
            <SummaryFigure title={title} value={value} route={route} company={company} />
          </Card>
        ))}
      </Flex>
      <Flex gap={12} wrap>
        <DueCard owed="应收账款" unapplied="预收及未用返利" due={summary.receivable} company={company} />
        <DueCard owed="应付账款" unapplied="预付及未用返利" due={summary.payable} company={company} />
      </Flex>
      <Card size="small" title="近 30 天收付款">
        <Suspense fallback={<div style={{ height: CHART_HEIGHT }} />}>
          <FlowChart days={summary.days} height={CHART_HEIGHT} />
        </Suspense>
      </Card>
    </Flex>
  );
}

interface SummaryFigureProps {
  title: string;
  value: string | undefined;
  route: string | undefined;
  company: CompanyChoice;
}

/** A figure leads to the list that it is the total of, if that may be opened. */
function SummaryFigure({ title, value, route, company }: SummaryFigureProps) {
  const tabs = useTabs();
  const figure = <Statistic title={title} value={value} formatter={formatMoney} />;
  const narrowed = company.id
    ? `&${new URLSearchParams({ company_id: String(company.id), [labelKey('company_id')]: company.name })}`
    : '';
  return route ? <LinkButton onClick={() => tabs.open(route + narrowed, title)}>{figure}</LinkButton> : figure;
}

interface DueCardProps {
  owed: string;
  unapplied: string;
  due: DueSummary;
  company: CompanyChoice;
}

function DueCard({ owed, unapplied, due, company }: DueCardProps) {
  const figures: [string, Exclude<keyof DueSummary, 'routes'>][] = [
    [owed, 'owed'],
    ['已逾期', 'overdue'],
    ['7 天内到期', 'soon'],
    [unapplied, 'unapplied'],
  ];
  return (
    <Card size="small" style={{ flex: '1 1 420px' }}>
      <Flex gap={24} wrap>
        {figures.map(([title, name]) => (
          <SummaryFigure key={title} title={title} value={due[name]} route={due.routes[name]} company={company} />
        ))}
      </Flex>
    </Card>
  );
}
