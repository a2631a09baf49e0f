/** Export of a report's tab: content, format, and the filters of its frame. */
import { queryOptions, useMutation } from '@tanstack/react-query';
import type { FrameTab, PivotChoices, ExportRequestBody, ReportTask } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { EXPORT_STARTED } from '@/engine/list/useExport';
import { readFilterValues, type DataMask, type FilterValues } from './frameFilters';
import type { FramePort } from './framePort';

const MASK_TIMEOUT = 5_000;

export type PivotChoice = Pick<ExportRequestBody, 'rows' | 'columns' | 'metrics'>;

export interface ExportRequest extends PivotChoice {
  form: ExportRequestBody['form'];
}

/** Exports a tab as a task; filters that are not told stop it, for other figures would be exported. */
export function useReportExport(code: string, tab: string, filters: () => FilterValues | Promise<FilterValues>) {
  return useMutation({
    mutationFn: async (request: ExportRequest) =>
      api.post<ReportTask>('v2/report/Frame/export', { code, tab, filters: await filters(), ...request }),
    onSuccess: () => showMessage('success', EXPORT_STARTED),
    onError: reportError,
  });
}

/** Read the filters of the frame; a report without a frame has its defaults. */
export async function readShownFilters(tab: FrameTab, port: FramePort | null): Promise<FilterValues> {
  if (tab.address === null) return {};
  const mask = await port?.ask<DataMask>('getDataMask', MASK_TIMEOUT).catch(() => null);
  if (!mask) throw new Error('报表还没有打开好，读不到所选的筛选条件，请稍后再试');
  return readFilterValues(mask, tab.filters);
}

export function pivotChoicesQuery(code: string, tab: string, grouping = '') {
  return queryOptions({
    queryKey: ['report', 'pivot', code, tab, grouping],
    queryFn: () => api.get<PivotChoices>('v2/report/Frame/getPivotChoices', { code, tab, grouping }),
    staleTime: Infinity,
  });
}
