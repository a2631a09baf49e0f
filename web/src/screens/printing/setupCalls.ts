import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { PrintDefinition, PrintedBillType, PrintLayout, PrintPreview } from '@/gen';
import { api } from '@/lib/api';

const PATH = 'v2/system/PrintSetup';

export function printListQuery() {
  return queryOptions({
    queryKey: ['print_template', 'bills'],
    queryFn: ({ signal }) => api.get<PrintedBillType[]>(`${PATH}/getPrintList`, {}, { signal }),
  });
}

/** A template and what it may choose from; read once, since the editor must not change under one's hands. */
export function definitionQuery(bill_type: string, print_template_id: number) {
  return queryOptions({
    queryKey: ['form', 'print_template', bill_type, print_template_id],
    queryFn: ({ signal }) =>
      api.get<PrintDefinition>(`${PATH}/getPrintDefinedInfo`, { bill_type, print_template_id }, { signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
}

export interface PreviewRequest {
  bill_type: string;
  layout: PrintLayout;
  id: number | null;
}

export function previewQuery(trial: PreviewRequest) {
  return queryOptions({
    queryKey: ['print_template', 'preview', trial],
    queryFn: () => api.post<PrintPreview>(`${PATH}/preview`, trial),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
    meta: { quiet: true },
  });
}

export interface TemplateDraft {
  print_template_id: number | null;
  bill_type: string;
  company_id: number | null;
  template_name: string;
  is_default: boolean;
  layout: PrintLayout;
}

export const printSetup = {
  save: (draft: TemplateDraft) => api.post<{ print_template_id: number }>(`${PATH}/addPrint`, draft),
  makeDefault: (print_template_id: number) => api.post(`${PATH}/setDefault`, { print_template_id }),
  recover: (print_template_id: number) => api.post(`${PATH}/instantRecovery`, { print_template_id }),
  remove: (print_template_id: number) => api.post(`${PATH}/del`, { ids: [print_template_id] }),
};
