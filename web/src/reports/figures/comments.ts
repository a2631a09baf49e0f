/** 数字批注: remarks on the figures of a report's tab, and what may be done with one's own. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangedRemark, Comments, NewRemark } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';

const PREFIX = 'v2/report/FigureComment';
const KEY = 'figureComments';

export function commentsQuery(code: string, tab: string) {
  return queryOptions({
    queryKey: [KEY, code, tab],
    queryFn: () => api.get<Comments>(`${PREFIX}/getList`, { code, tab }),
    staleTime: 0,
  });
}

export type Command =
  | { call: 'add'; body: NewRemark; told: string }
  | { call: 'edit'; body: ChangedRemark; told: string }
  | { call: 'del'; body: { comment_id: number }; told: string };

export function useCommenting() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ call, body }: Command) => api.post(`${PREFIX}/${call}`, body),
    onSuccess: (_, { told }) => {
      showMessage('success', told);
      void client.invalidateQueries({ queryKey: [KEY] });
    },
    onError: reportError,
  });
}
