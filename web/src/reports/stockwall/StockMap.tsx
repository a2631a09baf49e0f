/** 各省库存: the map, and the provinces one by one for who can't point at it. */
import { useState } from 'react';
import type { ProvinceStock } from '@/gen';
import { formatBrief, formatPercent, formatQuantity } from '@/lib/format';
import { LazyMap } from '../charts/LazyChart';
import styles from './wall.module.css';
import { WallPanel } from './WallPanel';

const MAP_HEIGHT = 'clamp(280px, 54vh, 760px)';

export function StockMap({ provinces, byValue }: { provinces: ProvinceStock[]; byValue: boolean }) {
  const [chosen, choose] = useState('');
  const of = (one: ProvinceStock) => (byValue ? one.amount : one.quantity);
  const values = provinces.map((one) => ({
    province: one.province_name,
    value: Number(of(one)),
    tooltipLines: describeProvince(one, byValue),
  }));
  return (
    <WallPanel title={byValue ? '各省库存金额' : '各省库存数量'} className={styles.map}>
      <LazyMap values={values} height={MAP_HEIGHT} label="各省库存" dark chosen={chosen} onPick={choose} />
      <ul className={styles.provinces}>
        {provinces.map((one) => (
          <li key={one.province_name}>
            <button
              type="button"
              aria-pressed={one.province_name === chosen}
              onClick={() => choose(one.province_name === chosen ? '' : one.province_name)}
            >
              {one.province_name} <strong>{formatBrief(of(one))}</strong>
            </button>
            {one.province_name === chosen && <p>{describeProvince(one, byValue).join('，')}</p>}
          </li>
        ))}
      </ul>
    </WallPanel>
  );
}

function describeProvince(one: ProvinceStock, byValue: boolean): string[] {
  return [
    byValue
      ? `库存 ${formatBrief(one.amount)} 元，${formatBrief(one.quantity)} 件`
      : `库存 ${formatBrief(one.quantity)} 件`,
    `呆滞 ${formatPercent(one.sluggish_rate) || '0%'}，断货 ${one.sold_out_count} 种`,
    `可售 ${formatQuantity(one.cover_days) || '—'} 天，周转 ${formatQuantity(one.turnover_days) || '—'} 天`,
  ];
}
