/** 看板: queries and commands of published and own boards. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { BoardChoices, SharedDashboardRow, Entrance, Publication, PublishedBoardAnswer } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';

const PREFIX = 'v2/report/Board';
const BOARDS_KEY = ['boards'];
/** More than anybody is shown. */
const MAX_BOARDS = 200;

export function boardsQuery() {
  return queryOptions({
    queryKey: BOARDS_KEY,
    queryFn: () => api.get<{ data: SharedDashboardRow[] }>(`${PREFIX}/getList`, { page: 1, per_page: MAX_BOARDS }),
    staleTime: 0,
  });
}

export function boardChoicesQuery() {
  return queryOptions({
    queryKey: [...BOARDS_KEY, 'choices'],
    queryFn: () => api.get<BoardChoices>(`${PREFIX}/getChoices`),
    staleTime: 0,
  });
}

export function boardQuery(board_id: number) {
  return queryOptions({
    queryKey: [...BOARDS_KEY, board_id],
    queryFn: () => api.get<PublishedBoardAnswer>(`${PREFIX}/getVersions`, { board_id }),
    staleTime: 0,
  });
}

export type BoardCommand =
  | { call: 'publish'; body: Publication; successMessage: string }
  | { call: 'showVersion'; body: { board_id: number; version: number }; successMessage: string }
  | { call: 'withdraw'; body: { board_id: number }; successMessage: string };

export function useBoardCommand() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ call, body }: BoardCommand) => api.post(`${PREFIX}/${call}`, body),
    onSuccess: (_, { successMessage }) => {
      showMessage('success', successMessage);
      void client.invalidateQueries({ queryKey: BOARDS_KEY });
    },
    onError: reportError,
  });
}

/** Opens a board in a window of its own, on the exploring port. */
export function useOpenBoard() {
  const opening = useMutation({
    mutationFn: async ({ board_id, opened }: { board_id: number; opened: Window }) => {
      try {
        const { address } = await api.post<Entrance>(`${PREFIX}/open`, { board_id });
        opened.location.replace(new URL(address, window.location.href));
      } catch (error) {
        opened.close();
        throw error;
      }
    },
    onError: reportError,
  });
  return (board_id: number) => {
    // Within the click: a window that opens after an answer is blocked.
    const opened = window.open('', '_blank');
    if (!opened) return;
    opened.opener = null;
    opening.mutate({ board_id, opened });
  };
}
