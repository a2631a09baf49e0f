/** Asks for the settings of the user's company, purchase, sales and stock, and keeps them for the pages. */
import { api } from '@/lib/api';
import type { SettingOption } from '@/gen';
import { keepSettings } from '@/lib/companySettings';
import { useQuery } from '@/lib/query';

const KINDS = [1, 2, 3];
const FRESH = 300_000;

export function useCompanySettings(companyId: number): void {
  useQuery({
    queryKey: ['bill_setting', 'own', companyId],
    queryFn: async () => {
      const ask = (type: number) =>
        api.get<SettingOption>('open/BillSetting/getSettingInfoOption', { type, company_id: companyId, repeat: 1 });
      const told = await Promise.all(KINDS.map(ask));
      keepSettings(told);
      return told;
    },
    staleTime: FRESH,
    meta: { quiet: true },
  });
}
