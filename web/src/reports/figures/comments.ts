/** 数字批注: queries and commands of remarks on figures. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangedRemark, Comments, NewRemark } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';

const PREFIX = 'v2/report/FigureComment';
const COMMENTS_KEY = 'figureComments';

export function commentsQuery(code: string, tab: string) {
  return queryOptions({
    queryKey: [COMMENTS_KEY, code, tab],
    queryFn: () => api.get<Comments>(`${PREFIX}/getList`, { code, tab }),
    staleTime: 0,
  });
}

export type CommentCommand =
  | { call: 'add'; body: NewRemark; successMessage: string }
  | { call: 'edit'; body: ChangedRemark; successMessage: string }
  | { call: 'del'; body: { comment_id: number }; successMessage: string };

export function useCommentCommand() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ call, body }: CommentCommand) => api.post(`${PREFIX}/${call}`, body),
    onSuccess: (_, { successMessage }) => {
      showMessage('success', successMessage);
      void client.invalidateQueries({ queryKey: [COMMENTS_KEY] });
    },
    onError: reportError,
  });
}
