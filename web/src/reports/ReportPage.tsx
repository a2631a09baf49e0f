/** 报表页: a report of the catalogue in its frame, by tabs when it has several, with the freshness of its figures. */
import { Button, Grid, Result, Spin, Tabs } from 'antd';
import { useEffect, useMemo, useState } from 'react';
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
import { FilterSets, filterSchemeScreen, type FilterSet } from './FilterSets';
import { parseAddress, type AddressState } from './frameAddress';
import { buildMask } from './frameFilters';
import { Freshness } from './Freshness';
import { frameQuery, type FrameValues } from './frameQuery';
import { readShownFilters } from './reportExport';
import styles from './reports.module.css';
import { useFreshFigures } from './useFreshFigures';
import { useReportTabs, type ReportTabs } from './useReportTabs';
import { useReportVisit } from './useReportVisit';

interface Props {
  code: string;
  values: FrameValues;
}

export default function ReportPage({ code, values }: Props) {
  const [opening] = useState(machineTime);
  const { values: own, standing: addressState, scheme } = useMemo(() => parseAddress(values), [values]);
  const frame = useQuery(frameQuery(code, own, opening));
  const kept = useQuery({
    ...schemesQuery<FilterSet>(filterSchemeScreen(code, addressState.tab ?? '')),
    enabled: scheme !== undefined,
  });

  if (frame.isPending || (kept.isPending && scheme !== undefined))
    return <Spin className={styles.loading} size="large" />;
  if (!frame.data) return <ReportFailure error={frame.error} onRetry={() => void frame.refetch()} />;
  const named = kept.data?.find(({ name, mine }) => mine && name === scheme)?.value.filters ?? null;
  return (
    <Report
      frame={frame.data}
      values={own}
      addressState={{ ...addressState, filters: addressState.filters ?? named }}
    />
  );
}

function ReportFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
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

interface ReportProps {
  frame: Frame;
  /** Values that a link opens it on. */
  values: FrameValues;
  /** Tab and filters given by its address. */
  addressState: AddressState;
}

function Report({ frame, values, addressState: standing }: ReportProps) {
  const tabs = useTabs();
  const narrow = Grid.useBreakpoint().md === false;
  const report = useReportTabs(frame, values, standing);
  const figures = useFreshFigures(frame);
  const [shows, setShows] = useState<Partial<Record<string, number>>>({});
  const [wanted, setWanted] = useState<Partial<Record<string, number>>>({});

  useReportVisit(frame.code);

  useEffect(() => {
    tabs.setTitle(frame.route, frame.label);
  }, [tabs, frame.route, frame.label]);

  const shown = frame.tabs.find((tab) => tab.key === report.chosen) ?? frame.tabs[0];
  const tools = (
    <div className={styles.tools}>
      {shown && (
        <Freshness
          figures={figures}
          shownAt={figures.versions[shows[shown.key] ?? 0] ?? null}
          onRefresh={() => setWanted({ ...wanted, [shown.key]: figures.refresh() })}
        />
      )}
      {shown && shown.address !== null && (
        <FilterSets
          key={`filters ${shown.key}`}
          code={frame.code}
          tab={shown}
          port={() => report.port(shown)}
          onApply={(filters) => report.apply(shown, filters)}
        />
      )}
      {shown && (
        <FigureTools
          key={`figures ${shown.key}`}
          code={frame.code}
          tab={shown.key}
          schemeScreen={filterSchemeScreen(frame.code, shown.key)}
          size="small"
        />
      )}
      {frame.may_export && shown && (
        <ExportMenu
          key={shown.key}
          code={frame.code}
          tab={shown.key}
          filters={() => readShownFilters(shown, report.port(shown))}
          schemeScreen={filterSchemeScreen(frame.code, shown.key)}
          size="small"
        />
      )}
    </div>
  );
  const notices = <DataNotices texts={figures.notices} className={styles.notice} />;
  const show = (tab: FrameTab) => (
    <TabFrame
      frame={frame}
      tab={tab}
      report={report}
      version={figures.version}
      requestedVersion={wanted[tab.key] ?? 0}
      onShow={(version) => setShows((before) => ({ ...before, [tab.key]: version }))}
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
          activeKey={report.chosen}
          onChange={report.choose}
          tabBarExtraContent={narrow ? undefined : tools}
          items={frame.tabs.map((tab) => ({ key: tab.key, label: tab.label, children: show(tab) }))}
        />
      </>
    );
  }
  const [only] = frame.tabs;
  return (
    <>
      {heading}
      {notices}
      {only && show(only)}
    </>
  );
}

interface TabFrameProps {
  frame: Frame;
  tab: FrameTab;
  report: ReportTabs;
  version: number;
  /** The newest version that the reader has asked for in this tab. */
  requestedVersion: number;
  onShow: (version: number) => void;
}

function TabFrame({ frame, tab, report, version, requestedVersion: wanted, onShow }: TabFrameProps) {
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
      key={report.countApplied(tab)}
      code={frame.code}
      tab={{ ...tab, address: tab.address }}
      title={title}
      isSelected={frame.tabs.length === 1 || tab.key === report.chosen}
      version={version}
      requestedVersion={wanted}
      initialFilters={buildMask(report.initialFilters(tab), tab.filters)}
      onPort={(port) => report.setPort(tab, port)}
      onShow={onShow}
    />
  );
}
