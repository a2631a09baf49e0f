/** 服务站角标: counts in the header of a service station, and their routes. */
import { queryOptions, type UseQueryOptions } from '@tanstack/react-query';
import type { CartCount, OutstockCounts, PriceChanges } from '@/gen';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { useDelayed } from '../useDelayed';

export const POLL_INTERVAL = 15_000;
export const FIRST_LOAD_DELAY = 1000;
export const MAX_BADGE = 99;

const OUTSTOCK_LIST = '/sales/service_station_sales_outstock_list';
const REFUND_LIST = '/service_station_purchase_order_refund';
const GOODS_LIST = '/service_station_goods/service_station_inventory_goods';

interface CountAnswer {
  count: number;
}

function counterQuery<T>(name: string, path: string, query: Record<string, string | number> = {}) {
  return queryOptions({
    queryKey: ['station', name],
    queryFn: () => api.get<T>(path, query),
    staleTime: POLL_INTERVAL,
    meta: { quiet: true },
  });
}

const outstocksQuery = () => counterQuery<OutstockCounts>('outstocks', 'v2/open/SalesOutstock/getSalesOutstocksList');
const timeoutQuery = () => counterQuery<CountAnswer>('timeout', 'v2/open/SalesOutstock/getSalesOutTimeoutCount');
const returnsQuery = () =>
  counterQuery<CountAnswer>('returns', 'v2/open/SalesOutstock/getSalesOutListByType', { type: 4 });
const pricesQuery = (companyId: number) =>
  counterQuery<PriceChanges>('prices', 'v2/open/GoodsPrice/getGoodsChainPriceNumber', { company_id: companyId });
const cartQuery = () => counterQuery<CartCount>('cart', 'v2/open/ShoppingCart/newGetCartTabCount');

/** First asked one second after the shell stands, so that the page comes first; of two that show it, one polls. */
function useCounter<T, K extends readonly unknown[]>(
  query: UseQueryOptions<T, Error, T, K>,
  polls = true,
): T | undefined {
  const due = useDelayed(FIRST_LOAD_DELAY);
  return useQuery({ ...query, enabled: due, refetchInterval: polls ? POLL_INTERVAL : false }).data;
}

export interface StationBadge {
  key: string;
  label: string;
  count: number;
  route: string;
}

export function useStationBadges(companyId: number, polls = true): StationBadge[] {
  const outstocks = useCounter(outstocksQuery(), polls);
  const timeout = useCounter(timeoutQuery(), polls);
  const returns = useCounter(returnsQuery(), polls);
  const prices = useCounter(pricesQuery(companyId), polls);
  const changed = prices?.goods_price_change ?? 0;
  return [
    { key: 'outstock', label: '待出库', count: outstocks?.count ?? 0, route: `${OUTSTOCK_LIST}?header_icon_action=2` },
    { key: 'timeout', label: '出库超时', count: timeout?.count ?? 0, route: `${OUTSTOCK_LIST}?header_icon_action=3` },
    { key: 'returns', label: '退货待审核', count: returns?.count ?? 0, route: `${OUTSTOCK_LIST}?header_icon_action=4` },
    {
      key: 'refunds',
      label: '采购退款',
      count: outstocks?.purchase_refund_count ?? 0,
      route: `${REFUND_LIST}?refund_type=2`,
    },
    {
      key: 'prices',
      label: '指导价变动',
      count: changed,
      route: `${GOODS_LIST}?hasPrice=1&goods_price_change=${changed}`,
    },
  ];
}

export function useCartCount(): number {
  return useCounter(cartQuery())?.cart_count ?? 0;
}
