/** 报表首页: finds a report by the question it answers; favourites and the last ones opened stand on top. */
import { SearchOutlined, StarFilled, StarOutlined } from '@ant-design/icons';
import { Button, Empty, Input, Spin, type InputRef } from 'antd';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { Screen } from '@/engine/types';
import { usePageActive, useTabs } from '@/lib/tabs';
import { groupReports, listRecent, useFavourites, useReports, type ReportEntry } from './reportHome';
import styles from './reportHome.module.css';
import { searchReports, type SearchResult } from './reportSearch';
import { preloadLastFrame } from './preloadedFrame';

const MINUTES_LENGTH = 'YYYY-MM-DD HH:mm'.length;

export default function ReportHomePage({ screen }: { screen: Screen }) {
  const { data: reports, isPending, refetch } = useReports(screen);
  if (isPending) return <Spin className={styles.waiting} size="large" />;
  if (!reports) {
    return (
      <Empty description="报表目录没有取到">
        <Button onClick={() => void refetch()}>重试</Button>
      </Empty>
    );
  }
  if (reports.length === 0) return <Empty description="您的角色还没有任何报表，请联系管理员授权" />;
  return <ReportBrowser screen={screen} reports={reports} />;
}

function ReportBrowser({ screen, reports }: { screen: Screen; reports: ReportEntry[] }) {
  const [keyword, look] = useState('');
  const favourites = useFavourites(screen.name);
  const tabs = useTabs();
  const box = useRef<InputRef>(null);
  const active = usePageActive();
  useEffect(() => {
    if (!active) return;
    box.current?.focus({ preventScroll: true });
    preloadLastFrame();
  }, [active]);

  const hits = searchReports(reports, keyword);
  const card = (report: ReportEntry) => (
    <ReportCard
      key={report.code}
      report={report}
      kept={favourites.codes.includes(report.code)}
      onStar={() => favourites.toggle(report.code)}
    />
  );
  const openFirst = (event: KeyboardEvent) => {
    const [first] = hits.reports;
    if (!event.nativeEvent.isComposing && keyword.trim() && first) tabs.open(first.route, first.name);
  };

  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <Input
          ref={box}
          className={styles.search}
          size="large"
          allowClear
          prefix={<SearchOutlined />}
          aria-label="查找报表"
          placeholder="想知道什么？按名称、问题、地址或拼音首字母查找"
          value={keyword}
          onChange={(event) => look(event.target.value)}
          onPressEnter={openFirst}
        />
        <span role="status">{keyword.trim() ? describeSearchResult(hits) : `共 ${reports.length} 张报表`}</span>
      </div>
      {keyword.trim() ? (
        <SearchResults hits={hits} card={card} onClear={() => look('')} wanted={keyword.trim()} />
      ) : (
        <ReportSections reports={reports} favourites={favourites.codes} card={card} />
      )}
    </div>
  );
}

type RenderCard = (report: ReportEntry) => ReactNode;

function describeSearchResult({ reports, isApproximate: near }: SearchResult): string {
  return near && reports.length > 0
    ? `没有完全相符的，最接近的有 ${reports.length} 张`
    : `找到 ${reports.length} 张报表`;
}

function SearchResults({
  hits,
  wanted,
  card,
  onClear,
}: {
  hits: SearchResult;
  wanted: string;
  card: RenderCard;
  onClear: () => void;
}) {
  if (hits.reports.length > 0)
    return (
      <ReportSection title={hits.isApproximate ? '最接近的报表' : '查找结果'} reports={hits.reports} card={card} />
    );
  return (
    <Empty description={`没有找到与“${wanted}”有关的报表，换一个说法试试`}>
      <Button onClick={onClear}>看全部报表</Button>
    </Empty>
  );
}

function ReportSections({
  reports,
  favourites,
  card,
}: {
  reports: ReportEntry[];
  favourites: string[];
  card: RenderCard;
}) {
  const byCode = new Map(reports.map((report) => [report.code, report]));
  const kept = favourites.flatMap((code) => byCode.get(code) ?? []);
  const opened = listRecent(reports);
  return (
    <>
      <ReportSection title="我的收藏" reports={kept} card={card} hint="点报表右上角的星标收藏，常看的报表就排在这里" />
      {opened.length > 0 && <ReportSection title="最近打开" reports={opened} card={card} />}
      {groupReports(reports).map(([group, members]) => (
        <ReportSection key={group} title={group} reports={members} card={card} />
      ))}
    </>
  );
}

function ReportSection({
  title,
  reports,
  card,
  hint,
}: {
  title: string;
  reports: ReportEntry[];
  card: RenderCard;
  hint?: string;
}) {
  return (
    <section aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {reports.length > 0 ? (
        <div className={styles.cards}>{reports.map(card)}</div>
      ) : (
        <p className={styles.hint}>{hint}</p>
      )}
    </section>
  );
}

function ReportCard({ report, kept, onStar }: { report: ReportEntry; kept: boolean; onStar: () => void }) {
  return (
    <article className={styles.card}>
      <Link to={report.route} className={styles.link}>
        <strong>{report.name}</strong>
        <span>{report.question}</span>
        {report.openedAt && <small>上次打开 {report.openedAt.slice(0, MINUTES_LENGTH)}</small>}
      </Link>
      <Button
        type="text"
        className={kept ? `${styles.star} ${styles.kept}` : styles.star}
        icon={kept ? <StarFilled /> : <StarOutlined />}
        aria-pressed={kept}
        aria-label={`收藏${report.name}`}
        onClick={onStar}
      />
    </article>
  );
}
