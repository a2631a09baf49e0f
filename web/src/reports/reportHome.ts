/** 报表首页: the reports that the user may open, as the server lists them, and the favourites. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { listQuery } from '@/engine/queries';
import type { Row, Screen } from '@/engine/types';
import { reportError } from '@/lib/errors';
import { listPreferences, removePreference, savePreference } from '@/lib/preferences';
import { useQuery } from '@/lib/query';

export interface ReportEntry {
  code: string;
  name: string;
  question: string;
  group: string;
  route: string;
  /** Time of the user's last visit. */
  openedAt: string | null;
  /** Openings are numbered as they happen: two may fall within a second. */
  lastVisit: number | null;
  /** Questions that it answers, in people's words. */
  phrases: string;
  /** All that a search looks into, in small letters. */
  searchText: string;
}

const PAGE_SIZE = 500;
const MAX_RECENT = 6;
/** Stable, so that the reports are read out of an answer once. */
const toReportEntries = (rows: Row[]): ReportEntry[] => rows.map(toReportEntry);

function toReportEntry(row: Row): ReportEntry {
  const text = (name: string) => String(row[name] ?? '');
  const [name, question, route, code, group] = [
    text('report_name'),
    text('question'),
    text('route'),
    text('code'),
    text('group_name'),
  ];
  const phrases = [name, question, group, text('words')].join('\n');
  return {
    code,
    name,
    question,
    route,
    group,
    openedAt: row.opened_at ? text('opened_at') : null,
    lastVisit: row.last_visit_id ? Number(row.last_visit_id) : null,
    phrases,
    searchText: [phrases, route, text('initials')].join('\n').toLowerCase(),
  };
}

export function useReports(screen: Screen) {
  return useQuery({ ...listQuery(screen, { per_page: PAGE_SIZE }), select: (answer) => toReportEntries(answer.data) });
}

/** The last ones opened, the newest first. */
export function listRecent(reports: ReportEntry[]): ReportEntry[] {
  const opened = reports.filter(({ lastVisit }) => lastVisit !== null);
  return opened.sort((a, b) => (b.lastVisit ?? 0) - (a.lastVisit ?? 0)).slice(0, MAX_RECENT);
}

export function groupReports(reports: ReportEntry[]): [string, ReportEntry[]][] {
  const groups = new Map<string, ReportEntry[]>();
  for (const report of reports) groups.set(report.group, [...(groups.get(report.group) ?? []), report]);
  return [...groups];
}

function favouritesQuery(page: string) {
  return queryOptions({
    queryKey: ['favourites', page],
    queryFn: async () => (await listPreferences<true>('favourite', page)).map(({ name }) => name),
  });
}

/** The codes of the favourites, the last one marked first, and how one is marked or given up. */
export function useFavourites(page: string) {
  const client = useQueryClient();
  const { queryKey } = favouritesQuery(page);
  const { data: codes = [] } = useQuery(favouritesQuery(page));
  const { mutate } = useMutation({
    mutationFn: ({ code, keep }: { code: string; keep: boolean }) =>
      keep ? savePreference('favourite', page, code, true) : removePreference('favourite', page, code),
    onMutate: async ({ code, keep }) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, (before: string[] = []) => [
        ...(keep ? [code] : []),
        ...before.filter((one) => one !== code),
      ]);
    },
    onError: reportError,
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  return { codes, toggle: (code: string) => mutate({ code, keep: !codes.includes(code) }) };
}
