/** 超级服务站: the entry in the header while an activity runs, and the dialog of its progress and rules. */
import { TrophyOutlined } from '@ant-design/icons';
import { Button, Modal, Progress, Table, Tag, Tooltip } from 'antd';
import { useState } from 'react';
import type { SuperStationConfig } from '@/gen';
import { api } from '@/lib/api';
import { formatMoney } from '@/lib/format';
import { useQuery } from '@/lib/query';
import { formatTierName } from './tiers';
import styles from './station.module.css';

export function SuperStation() {
  const [open, setOpen] = useState(false);
  const { data, refetch } = useQuery({
    queryKey: ['station', 'super'],
    queryFn: () => api.get<SuperStationConfig | null>('v2/open/SuperStation/getSuperStationConfig'),
    staleTime: 300_000,
    meta: { quiet: true },
  });
  if (!data) return null;
  return (
    <>
      <Tooltip title={data.super_station_name}>
        <Button
          type="text"
          size="middle"
          icon={<TrophyOutlined className={styles.trophy} />}
          aria-label="超级服务站"
          onClick={() => {
            setOpen(true);
            void refetch();
          }}
        />
      </Tooltip>
      {open && <ProgressDialog config={data} onClose={() => setOpen(false)} />}
    </>
  );
}

function ProgressDialog({ config, onClose }: { config: SuperStationConfig; onClose: () => void }) {
  const { rewardList: rewards, reward_key: reached } = config;
  const next = rewards[reached];
  const target = Number(next?.purchase_amount ?? rewards.at(-1)?.purchase_amount ?? 0);
  const percent = target > 0 ? Math.min(100, Math.floor((Number(config.purchase_amount) / target) * 100)) : 0;
  return (
    <Modal open title={config.super_station_name} width={800} footer={null} onCancel={onClose}>
      <section className={styles.progress}>
        <div>
          <strong>{formatMoney(config.purchase_amount)}</strong>
          <span>
            累计进货金额（{config.start_date} 至 {config.end_date}）
          </span>
        </div>
        <Progress percent={percent} status={next ? 'active' : 'success'} />
        <p role="status">
          {reached > 0 ? `已达成${formatTierName(reached)}：${rewards[reached - 1]?.reward_name}。` : ''}
          {next
            ? `再进货 ${formatMoney(config.target_diff_amount)} 元达成${formatTierName(reached + 1)}：${next.reward_name}`
            : '已达成全部奖励'}
        </p>
      </section>
      <Table
        size="small"
        pagination={false}
        rowKey="purchase_amount"
        dataSource={rewards}
        scroll={{ y: 280 }}
        columns={[
          {
            title: '档位',
            width: 110,
            render: (_, __, index) => (
              <Tag color={index < reached ? 'success' : 'default'}>{formatTierName(index + 1)}</Tag>
            ),
          },
          { title: '进货金额', dataIndex: 'purchase_amount', align: 'right', width: 140, render: formatMoney },
          { title: '奖励', dataIndex: 'reward_name', width: 160 },
          { title: '奖励内容', dataIndex: 'reward_value' },
        ]}
      />
      <h3>活动规则</h3>
      <p className={styles.rules}>{config.rule_desc}</p>
    </Modal>
  );
}
