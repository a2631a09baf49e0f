/** 成本重算提示: which companies' figures may still change, because their costs are being recalculated. */
import { Alert } from 'antd';
import type { Recalculating } from '@/gen';
import { useQuery } from '@/lib/query';
import { usePageActive } from '@/lib/tabs';
import { recalculatingQuery } from './frameQuery';
import styles from './reports.module.css';

const askEvery = 5_000;

export function RecalculationNotice() {
  const active = usePageActive();
  const { data = [] } = useQuery({ ...recalculatingQuery(), refetchInterval: active ? askEvery : false });
  return data.map((run) => (
    <Alert key={run.company_id} type="warning" showIcon banner className={styles.notice} title={words(run)} />
  ));
}

function words({ company_name, period, running, goods_done, goods_total }: Recalculating): string {
  const what = `${company_name}、${period} 起的期间`;
  const progress = goods_total ? `（${goods_done} / ${goods_total} 个商品）` : '';
  return running
    ? `${what}正在重算成本${progress}，数字可能变化`
    : `${what}的成本重算没有完成${progress}，请重新发起重算；完成之前数字可能不一致`;
}
