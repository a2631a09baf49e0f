/** Asks for the settings of the user's company, purchase, sales and stock, and keeps them for the pages. */
import { api } from '@/lib/api';
import type { SettingOption } from '@/gen';
import { storeCompanySettings } from '@/lib/companySettings';
import { useQuery } from '@/lib/query';

const SETTING_KINDS = [1, 2, 3];
const FRESH_TIME = 300_000;

export function useCompanySettings(companyId: number): void {
  useQuery({
    queryKey: ['bill_setting', 'own', companyId],
    queryFn: async () => {
      const ask = (type: number) =>
        api.get<SettingOption>('open/BillSetting/getSettingInfoOption', { type, company_id: companyId, repeat: 1 });
      const settings = await Promise.all(SETTING_KINDS.map(ask));
      storeCompanySettings(settings);
      return settings;
    },
    staleTime: FRESH_TIME,
    meta: { quiet: true },
  });
}
