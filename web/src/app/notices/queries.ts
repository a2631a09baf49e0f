/** 公告: the user's announcements and unread ones. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { MessagePage, NoticeList } from '@/gen';
import { api } from '@/lib/api';

const POLL_INTERVAL = 60_000;

export function unreadQuery() {
  return queryOptions({
    queryKey: ['messages', 'count'],
    queryFn: () => api.get<{ count: number }>('v2/open/Message/getUserMessageCount'),
    refetchInterval: POLL_INTERVAL,
    meta: { quiet: true },
  });
}

export function messagesQuery(perPage: number) {
  return queryOptions({
    queryKey: ['messages', 'list', perPage],
    queryFn: () => api.get<MessagePage>('v2/open/Message/getUserMessageList', { per_page: perPage }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: { quiet: true },
  });
}

export const fetchUnreadNotices = (): Promise<NoticeList> =>
  api.get<NoticeList>('v2/open/Message/getNoticeMessageList', { is_unread: 1, num: 2 });

export const markMessageRead = (message_log_id: number): Promise<unknown> =>
  api.post('v2/open/Message/readUserMessage', { message_log_id });
