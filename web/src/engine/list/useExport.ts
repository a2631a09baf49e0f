import { useMutation } from '@tanstack/react-query';
import { api, type Query } from '../../lib/api';
import { reportError, showMessage } from '../../lib/errors';
import type { Screen } from '../types';

export const EXPORT_STARTED = '系统正在处理，请稍后在导出任务中下载';

/** Exports what a list shows under a filter: all of its pages, as a task. */
export function useExport(screen: Screen) {
  return useMutation({
    mutationFn: (filter: Query) =>
      api.post(`${screen.api}/export`, {}, { query: { ...filter, page: undefined, per_page: undefined } }),
    onSuccess: () => showMessage('success', EXPORT_STARTED),
    onError: reportError,
  });
}
