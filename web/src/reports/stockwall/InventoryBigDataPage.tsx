/** 库存大数据: a wall of the stock's health; a company narrows it, a province is told of, a bill of the ticker is opened. */
import { FullscreenExitOutlined, FullscreenOutlined } from '@ant-design/icons';
import { Button, Empty, Spin } from 'antd';
import { useRef, useState } from 'react';
import { findAction, type Screen } from '@/engine/types';
import type { StockOverview } from '@/gen';
import { ExportMenu } from '../ExportMenu';
import type { FilterValues } from '../frameFilters';
import { LIST_TAB } from '../ListReportPage';
import { PublishedNotices } from '../PublishedNotices';
import { AgingPanel, CompaniesPanel, TurnoverPanel } from './WallCharts';
import { Clock } from './Clock';
import { Headline } from './Headline';
import { StockMap } from './StockMap';
import { Ticker } from './Ticker';
import { useFullscreen } from './useFullscreen';
import styles from './wall.module.css';
import { useOverview } from './wallQueries';

const WHOLE_GROUP = 0;

export default function InventoryBigDataPage({ screen }: { screen: Screen }) {
  const wall = useRef<HTMLDivElement>(null);
  const [isFull, toggle] = useFullscreen(wall);
  const [company, choose] = useState(WHOLE_GROUP);
  const query = useOverview(screen, company);
  const { data, error, refetch } = query;
  return (
    <div ref={wall} className={styles.wall}>
      <header className={styles.header}>
        <div className={styles.side}>{data?.refreshed_at ? `数据更新于 ${data.refreshed_at}` : ''}</div>
        <h1>库存大数据</h1>
        <div className={`${styles.side} ${styles.right}`}>
          <Clock />
          {findAction(screen, 'export') && !isFull && (
            <ExportMenu
              size="small"
              ghost
              code={screen.report ?? ''}
              tab={LIST_TAB}
              filters={(): FilterValues => (company === WHOLE_GROUP ? {} : { company_id: [String(company)] })}
              schemeScreen={screen.name}
            />
          )}
          <Button
            ghost
            size="small"
            icon={isFull ? <FullscreenExitOutlined /> : <FullscreenOutlined />}
            onClick={toggle}
            aria-label={isFull ? '退出全屏' : '全屏'}
          />
        </div>
      </header>
      <PublishedNotices />
      {data ? (
        <StockWall data={data} screen={screen} company={company} onCompany={choose} />
      ) : (
        <div className={styles.waiting}>
          {error ? (
            <Empty
              image={Empty.PRESENTED_IMAGE_SIMPLE}
              description={<span className={styles.told}>{error.message}</span>}
            >
              <Button ghost onClick={() => void refetch()}>
                重试
              </Button>
            </Empty>
          ) : (
            <Spin size="large" />
          )}
        </div>
      )}
    </div>
  );
}

interface StockWallProps {
  data: StockOverview;
  screen: Screen;
  company: number;
  onCompany: (company: number) => void;
}

function StockWall({ data, screen, company, onCompany }: StockWallProps) {
  const chosen = data.companies.find((one) => one.company_id === company);
  if (data.companies.length === 0) {
    return <div className={`${styles.waiting} ${styles.told}`}>您的数据范围内还没有库存</div>;
  }
  return (
    <>
      <Headline overview={data.whole} byValue={data.by_value} company={chosen} />
      {chosen && (
        <div className={styles.chosen}>
          只看 {chosen.company_name}
          <Button ghost size="small" onClick={() => onCompany(WHOLE_GROUP)}>
            看全部公司
          </Button>
        </div>
      )}
      <div className={styles.grid}>
        <div className={styles.column}>
          <AgingPanel aging={data.aging} byValue={data.by_value} />
          <CompaniesPanel companies={data.companies} byValue={data.by_value} onPick={onCompany} />
        </div>
        <StockMap provinces={data.provinces} byValue={data.by_value} />
        <div className={styles.column}>
          <TurnoverPanel months={data.months} byValue={data.by_value} />
          <Ticker screen={screen} />
        </div>
      </div>
    </>
  );
}
