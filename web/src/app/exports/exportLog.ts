import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '@/lib/api';

export interface ExportTask {
  export_id: number;
  file_name: string;
  export_time: string;
  export_complete_time: string | null;
  /** 1 is finished and downloadable. */
  export_status: number;
  export_status_name: string;
  failure: string | null;
  rows: number | null;
  url: string;
}

interface ExportLog {
  data: ExportTask[];
  total: number;
  per_page: number;
  have_in_hand_num: number;
}

const askEvery = 60_000;
export const FINISHED = 1;

export function exportLogQuery(page: number) {
  return queryOptions({
    queryKey: ['exportLog', page],
    queryFn: () => api.get<ExportLog>('v2/open/ExportLog/getExportLogList', { page }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => ((state.data?.have_in_hand_num ?? 0) > 0 ? askEvery : false),
  });
}

/** Saves a finished export under its own name. */
export async function saveExport(task: ExportTask): Promise<void> {
  const [path = '', query = ''] = task.url.split('?');
  const file = await api.download(path, Object.fromEntries(new URLSearchParams(query)));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = task.file_name;
  link.click();
  URL.revokeObjectURL(link.href);
}
