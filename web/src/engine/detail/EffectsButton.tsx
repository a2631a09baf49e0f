import { ApartmentOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Alert, Button, Drawer, Empty } from 'antd';
import { useState } from 'react';
import { useTabs } from '../../lib/tabs';
import { effectsQuery } from '../queries';
import { ScreenLoading } from '../ScreenLoading';
import type { Row, Screen } from '../types';
import { BlockTable } from './BlockTable';

/** What a bill came from and what it caused: later bills, and its rows in every ledger, in one panel. */
export function EffectsButton({ screen, id }: { screen: Screen; id: number }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<ApartmentOutlined />} onClick={() => setOpen(true)}>
        关联与流水
      </Button>
      <Drawer title={`${screen.label}的关联单据与流水`} open={open} onClose={() => setOpen(false)} size={1080} destroyOnHidden>
        <EffectList screen={screen} id={id} leave={() => setOpen(false)} />
      </Drawer>
    </>
  );
}

function EffectList({ screen, id, leave }: { screen: Screen; id: number; leave: () => void }) {
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
      <BlockTable block={block} rows={rows} lead={lead} />
      {more && <Alert type="info" title={`只显示前 ${rows.length} 行，其余请在对应的流水查询中查看`} />}
    </div>
  ));
}
