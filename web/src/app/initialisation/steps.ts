/** 系统初始化: the states 0 to 6 (spec/1-shell.md 4). */
import { queryOptions } from '@tanstack/react-query';
import type { InitialisationState as CompanyInfo } from '@/gen';
import { api, getSession } from '@/lib/api';

export const DONE_STATE = 6;
const POLL_INTERVAL = 5000;
const PROCESSING_STATES = new Set([1, 3, 5]);

export interface InitialisationStep {
  name: 'goods' | 'stock' | 'customer';
  label: string;
  /** The state at which its button is enabled; the next one is its processing. */
  at: number;
  path: string;
}

export const STEPS: InitialisationStep[] = [
  { name: 'goods', label: '商品', at: 0, path: 'open/Initialization/initializationInventoryGoods' },
  { name: 'stock', label: '库存', at: 2, path: 'open/Initialization/initializationStocks' },
  { name: 'customer', label: '客户', at: 4, path: 'open/Initialization/initializationCustomer' },
];

export function isProcessing(state: number | undefined): boolean {
  return PROCESSING_STATES.has(state ?? -1);
}

export function companyInfoQuery(companyId: number, polling: boolean) {
  return queryOptions({
    queryKey: ['company', 'initialisation', companyId],
    queryFn: async () => {
      const info = await api.get<CompanyInfo>('v2/open/Company/getSon2CompanyInfo', { company_id: companyId });
      if (info.company_id === getSession()?.company_id)
        localStorage.setItem('companyServeCacheGet', JSON.stringify({ company_id: info.company_id, type: info.type }));
      return info;
    },
    refetchInterval: ({ state }) => (polling && isProcessing(state.data?.is_initialization) ? POLL_INTERVAL : false),
    staleTime: 0,
    meta: { quiet: true },
  });
}
