/** 报表使用: records the opening of a report, framed or drawn by the engine. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '@/lib/api';

/** Records it once a page: a kept page that comes back on screen was not entered again. */
export function useReportVisit(code: string | null | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!code) return;
    api
      .get('v2/open/ReportStatistic/add', { code }, { survivesNavigation: true })
      .then(() => client.invalidateQueries({ queryKey: ['report_home'] }))
      // A lost count must not disturb the reader.
      .catch(() => undefined);
  }, [client, code]);
}
