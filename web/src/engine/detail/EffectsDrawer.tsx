import { Alert, Drawer, Empty } from 'antd';
import { useQuery } from '../../lib/query';
import { useTabs } from '../../lib/tabs';
import { effectsQuery } from '../queries';
import { ScreenLoading } from '../ScreenLoading';
import type { Row, Screen } from '../types';
import { BlockTable } from './BlockTable';

interface EffectsDrawerProps {
  screen: Screen;
  id: number;
  /** Message of a refused action; its obstacle is among the effects. */
  refusalMessage: string | null;
  onClose: () => void;
}

/** Sources and effects of a bill: earlier and later bills, and its rows in every ledger. */
export function EffectsDrawer({ screen, id, refusalMessage: why, onClose }: EffectsDrawerProps) {
  return (
    <Drawer open title={`${screen.label}的关联单据与流水`} size={1080} onClose={onClose}>
      {why !== null && (
        <Alert type="error" showIcon title={why} description="请先处理下面列出的后续单据" className="effects-why" />
      )}
      <EffectList screen={screen} id={id} onLeave={onClose} />
    </Drawer>
  );
}

function EffectList({ screen, id, onLeave: leave }: { screen: Screen; id: number; onLeave: () => void }) {
  const tabs = useTabs();
  const { data, error } = useQuery(effectsQuery(screen, id));
  if (error) return <Alert type="warning" showIcon title={error.message} />;
  if (!data) return <ScreenLoading />;
  if (data.length === 0) return <Empty description="没有关联单据，也还没有过账" />;
  const lead = (row: Row) => {
    leave();
    tabs.open(String(row.route), String(row.bill_no));
  };
  return data.map(({ block, rows, more }) => (
    <div key={block.name}>
      <BlockTable block={block} rows={rows} onOpenBill={lead} />
      {more && <Alert type="info" title={`只显示前 ${rows.length} 行，其余请在对应的流水查询中查看`} />}
    </div>
  ));
}
