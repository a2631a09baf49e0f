/** The four counts in the header of a service station. */
import { ClockCircleOutlined, DollarOutlined, ExportOutlined, RollbackOutlined } from '@ant-design/icons';
import { Badge, Button, Tooltip } from 'antd';
import type { ReactNode } from 'react';
import { useTabs } from '@/lib/tabs';
import { MAX_BADGE, useStationBadges } from './counters';

const icons: Record<string, ReactNode> = {
  outstock: <ExportOutlined />,
  timeout: <ClockCircleOutlined />,
  returns: <RollbackOutlined />,
  prices: <DollarOutlined />,
};

export function StationBadges({ companyId }: { companyId: number }) {
  const tabs = useTabs();
  return useStationBadges(companyId).map(({ key, label, count, route }) => (
    <Tooltip key={key} title={label}>
      <Badge count={count} overflowCount={MAX_BADGE} size="small" offset={[-4, 6]}>
        <Button
          type="text"
          size="middle"
          icon={icons[key]}
          aria-label={`${label} ${count}`}
          onClick={() => tabs.open(route, key === 'prices' ? '库存商品' : '销售出库单')}
        />
      </Badge>
    </Tooltip>
  ));
}
