/** 指标预警: queries and commands of the user's alerts. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Alerts, ChangedAlert, FigureChoice, PresentValue, WantedAlert } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';

const PREFIX = 'v2/report/FigureAlert';
export const ALERTS_PAGE = '/myAlerts';
const ALERTS_KEY = ['alerts'];

export function alertsQuery() {
  return queryOptions({ queryKey: ALERTS_KEY, queryFn: () => api.get<Alerts>(`${PREFIX}/getMine`), staleTime: 0 });
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

export type AlertCommand =
  | { call: 'add'; body: WantedAlert; successMessage: string }
  | { call: 'edit'; body: ChangedAlert; successMessage: string }
  | { call: 'setPaused'; body: { alert_id: number; paused: boolean }; successMessage: string }
  | { call: 'del'; body: { alert_id: number }; successMessage: string };

export function useAlertCommand() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ call, body }: AlertCommand) => api.post(`${PREFIX}/${call}`, body),
    onSuccess: (_, { successMessage }) => {
      showMessage('success', successMessage);
      void client.invalidateQueries({ queryKey: ALERTS_KEY });
    },
    onError: reportError,
  });
}
