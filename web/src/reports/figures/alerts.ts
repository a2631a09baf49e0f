/** 指标预警: what one has watched, and what may be done with it. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Alerts, ChangedAlert, FigureChoice, PresentValue, WantedAlert } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';

const PREFIX = 'v2/report/FigureAlert';
export const PAGE = '/myAlerts';
const KEY = ['alerts'];

export function alertsQuery() {
  return queryOptions({ queryKey: KEY, queryFn: () => api.get<Alerts>(`${PREFIX}/getMine`), staleTime: 0 });
}

export function figureChoicesQuery(code: string, tab: string) {
  return queryOptions({
    queryKey: ['report', 'figures', code, tab],
    queryFn: () => api.get<FigureChoice[]>(`${PREFIX}/getFigures`, { code, tab }),
    staleTime: Infinity,
  });
}

export function presentValueQuery(code: string, tab: string, figure: string, scheme: string | null) {
  return queryOptions({
    queryKey: ['report', 'value', code, tab, figure, scheme],
    queryFn: () => api.get<PresentValue>(`${PREFIX}/getValue`, { code, tab, figure, scheme: scheme ?? '' }),
    enabled: figure !== '',
    staleTime: 0,
  });
}

export type Command =
  | { call: 'add'; body: WantedAlert; told: string }
  | { call: 'edit'; body: ChangedAlert; told: string }
  | { call: 'setPaused'; body: { alert_id: number; paused: boolean }; told: string }
  | { call: 'del'; body: { alert_id: number }; told: string };

export function useAlerting() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ call, body }: Command) => api.post(`${PREFIX}/${call}`, body),
    onSuccess: (_, { told }) => {
      showMessage('success', told);
      void client.invalidateQueries({ queryKey: KEY });
    },
    onError: reportError,
  });
}
