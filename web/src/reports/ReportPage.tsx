/** 报表页: a report of the catalogue in its frame, by tabs when it has several, with the freshness of its figures. */
import { Button, Grid, Result, Spin, Tabs } from 'antd';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { DataNotices } from '@/engine/DataNotices';
import { schemesQuery } from '@/engine/list/schemes';
import type { Frame, FrameTab } from '@/gen';
import { machineTime } from '@/lib/businessClock';
import { ApiError } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { EmbedFrame } from './EmbedFrame';
import { ExportMenu } from './ExportMenu';
import { FigureTools } from './figures/FigureTools';
import { FilterSets, filterScreen, usualFilters, type FilterSet } from './FilterSets';
import { maskOf, type FilterValues } from './frameFilters';
import type { FramePort } from './framePort';
import { Freshness } from './Freshness';
import { frameQuery, type FrameValues } from './frameQuery';
import { shownFilters } from './reportExport';
import styles from './reports.module.css';
import { useFreshFigures } from './useFreshFigures';
import { useReportVisit } from './useReportVisit';

interface Props {
  code: string;
  values: FrameValues;
}

export default function ReportPage({ code, values }: Props) {
  const [opening] = useState(machineTime);
  // What the shell's own links say: the tab, and the name that its filters are kept under.
  const { tab, scheme, ...own } = values;
  const frame = useQuery(frameQuery(code, own, opening));
  const kept = useQuery({ ...schemesQuery<FilterSet>(filterScreen(code, tab ?? '')), enabled: scheme !== undefined });

  if (frame.isPending || (kept.isPending && scheme !== undefined)) return <Spin className={styles.loading} size="large" />;
  if (!frame.data) return <NoReport error={frame.error ?? new Error()} onRetry={() => void frame.refetch()} />;
  const named = kept.data?.find(({ name, mine }) => mine && name === scheme)?.value.filters;
  return <Report frame={frame.data} linked={Object.keys(own).length > 0} opens={tab} named={named} />;
}

function NoReport({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const denied = error instanceof ApiError && (error.code === 403 || error.code === 402);
  return (
    <Result
      status={denied ? '403' : 'warning'}
      title={denied ? '没有查看此报表的权限' : '报表无法打开'}
      subTitle={error.message}
      extra={
        <Button type="primary" onClick={onRetry}>
          重试
        </Button>
      }
    />
  );
}

/** Filters that were chosen by name; each choice opens the frame anew. */
interface Applied {
  filters: FilterValues;
  times: number;
}

interface ReportProps {
  frame: Frame;
  /** Opened on what a link says, not on the reader's own filters. */
  linked: boolean;
  /** The tab that a link opens, and the filters that it names there. */
  opens?: string;
  named?: FilterValues;
}

function Report({ frame, linked, opens, named }: ReportProps) {
  const tabs = useTabs();
  const narrow = Grid.useBreakpoint().md === false;
  const [chosen, setChosen] = useState(opens ?? frame.default_tab);
  const figures = useFreshFigures(frame);
  const ports = useRef(new Map<string, FramePort | null>());
  const [applied, setApplied] = useState<Partial<Record<string, Applied>>>({});
  const apply = (tab: string, filters: FilterValues) => {
    ports.current.set(tab, null);
    setApplied((before) => ({ ...before, [tab]: { filters, times: (before[tab]?.times ?? 0) + 1 } }));
  };

  useReportVisit(frame.code);

  useEffect(() => {
    tabs.setTitle(frame.route, frame.label);
  }, [tabs, frame.route, frame.label]);

  const shown = frame.tabs.find((tab) => tab.key === chosen) ?? frame.tabs[0];
  const tools = (
    <div className={styles.tools}>
      <Freshness figures={figures} />
      {shown && shown.address !== null && (
        <FilterSets
          key={`filters ${shown.key}`}
          code={frame.code}
          tab={shown}
          port={() => ports.current.get(shown.key) ?? null}
          onApply={(filters) => apply(shown.key, filters)}
        />
      )}
      {shown && <FigureTools key={`figures ${shown.key}`} code={frame.code} tab={shown.key} keptAs={filterScreen(frame.code, shown.key)} size="small" />}
      {frame.may_export && shown && (
        <ExportMenu
          key={shown.key}
          code={frame.code}
          tab={shown.key}
          filters={() => shownFilters(shown, ports.current.get(shown.key) ?? null)}
          keptAs={filterScreen(frame.code, shown.key)}
          size="small"
        />
      )}
    </div>
  );
  const openingFilters = (tab: string) => {
    if (named && tab === opens) return named;
    return linked ? {} : usualFilters(frame.code, tab);
  };
  const notices = <DataNotices texts={figures.notices} className={styles.notice} />;
  const show = (tab: FrameTab, chosenTab: string) => (
    <TabFrame
      frame={frame}
      tab={tab}
      chosen={tab.key === chosenTab}
      version={figures.version}
      applied={applied[tab.key] ?? { filters: openingFilters(tab.key), times: 0 }}
      ports={ports}
    />
  );

  const heading = (
    <div className={styles.heading}>
      <h2>{frame.label}</h2>
      {tools}
    </div>
  );
  if (frame.tabs.length > 1) {
    return (
      <>
        {/* Beside the tools there is no room for tabs. */}
        {narrow && heading}
        {notices}
        <Tabs
          size="small"
          className={styles.tabs}
          activeKey={chosen}
          onChange={setChosen}
          tabBarExtraContent={narrow ? undefined : tools}
          items={frame.tabs.map((tab) => ({ key: tab.key, label: tab.label, children: show(tab, chosen) }))}
        />
      </>
    );
  }
  const [only] = frame.tabs;
  return (
    <>
      {heading}
      {notices}
      {only && show(only, only.key)}
    </>
  );
}

interface TabFrameProps {
  frame: Frame;
  tab: FrameTab;
  chosen: boolean;
  version: number;
  applied: Applied;
  /** The talk with the frame on screen, by tab. */
  ports: RefObject<Map<string, FramePort | null>>;
}

function TabFrame({ frame, tab, chosen, version, applied, ports }: TabFrameProps) {
  if (tab.address === null) {
    return (
      <Result
        status="info"
        title="当前访问地址没有对应的报表服务"
        subTitle={`站点 ${window.location.hostname} 不在报表部署清单中，请改用公司发布的系统地址访问，或请管理员登记该站点。`}
      />
    );
  }
  const title = `${frame.label} ${tab.label}`;
  return (
    <EmbedFrame
      key={applied.times}
      code={frame.code}
      tab={{ ...tab, address: tab.address }}
      title={title}
      chosen={chosen}
      version={version}
      opensWith={maskOf({ ...tab.opens_with, ...applied.filters }, tab.filters)}
      onPort={(port) => ports.current.set(tab.key, port)}
    />
  );
}
