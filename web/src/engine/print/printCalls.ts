import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { LabelsToPrint, PrintedBills, PrintedLabels } from '@/gen';
import { api } from '../../lib/api';
import { ApiError } from '../../lib/errors';
import { saveFile } from '../../lib/saveFile';
import type { Screen } from '../types';

/** Bills printed while one waits; more of them are printed as a task. */
export const MAX_DIRECT_BILLS = 50;
/** The template that a bill type is delivered with. */
export const DEFAULT_TEMPLATE = 0;

export interface PrintRequest {
  ids: number[];
  /** Omitted for the template in force for each bill's company. */
  print_template_id: number | null;
}

export function printedBillsQuery(screen: Screen, bills: PrintRequest) {
  return queryOptions({
    queryKey: [screen.name, 'print', bills],
    queryFn: () => api.post<PrintedBills>(`${screen.api}/print`, bills),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
}

export async function saveBills(screen: Screen, bills: PrintRequest, name: string): Promise<void> {
  saveFile(await api.download(`${screen.api}/printPdf`, {}, bills), `${name}.pdf`);
}

export function queuePrintTask(screen: Screen, bills: PrintRequest): Promise<unknown> {
  return api.post(`${screen.api}/printTask`, bills);
}

/** Return whether the server refuses to print directly and requires a task. */
export function requiresTask(error: unknown): boolean {
  const data = error instanceof ApiError ? error.data : null;
  return typeof data === 'object' && data !== null && 'as_task' in data;
}

const LABELS = 'v2/system/GoodsLabel';

export function printedLabelsQuery(labels: LabelsToPrint) {
  return queryOptions({
    queryKey: ['goods', 'labels', labels],
    queryFn: () => api.post<PrintedLabels>(`${LABELS}/print`, labels),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    enabled: labels.items.length > 0,
  });
}

export async function saveLabels(labels: LabelsToPrint): Promise<void> {
  saveFile(await api.download(`${LABELS}/printPdf`, {}, labels), '商品标签.pdf');
}
