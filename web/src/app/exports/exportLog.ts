import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ExportPage, ExportRow } from '@/gen';
import { api } from '@/lib/api';
import { saveFile } from '@/lib/saveFile';

const POLL_INTERVAL = 60_000;
/** Finished and downloadable. */
export const FINISHED_STATUS = 1;

export function exportLogQuery(page: number) {
  return queryOptions({
    queryKey: ['exportLog', page],
    queryFn: () => api.get<ExportPage>('v2/open/ExportLog/getExportLogList', { page }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => ((state.data?.have_in_hand_num ?? 0) > 0 ? POLL_INTERVAL : false),
  });
}

/** Saves a finished export under its own name. */
export async function saveExport(task: ExportRow): Promise<void> {
  const [path = '', query = ''] = task.url.split('?');
  saveFile(await api.download(path, Object.fromEntries(new URLSearchParams(query))), task.file_name);
}
