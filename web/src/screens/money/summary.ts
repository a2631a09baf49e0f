import { queryOptions } from '@tanstack/react-query';
import type { Screen } from '@/engine/types';
import { api } from '@/lib/api';

/** A day's receipts and payments, and the balance at its end. */
export interface DayFlow {
  day: string;
  received: string;
  paid: string;
  balance: string;
}

export interface DueSummary {
  owed: string;
  unapplied: string;
  overdue: string;
  soon: string;
  /** The lists that the figures are totals of, as far as they may be opened. */
  routes: Partial<Record<'owed' | 'unapplied' | 'overdue' | 'soon', string>>;
}

export interface MoneySummary {
  balance: string;
  days: DayFlow[];
  month_received: string;
  month_paid: string;
  receivable: DueSummary;
  payable: DueSummary;
  /** The lists that receipts and payments are totals of, of today and of the month. */
  routes: Partial<Record<'received' | 'paid' | 'month_received' | 'month_paid', string>>;
}

/** The figures of one company, or of all that the user sees. */
export function summaryQuery(screen: Screen, company: number) {
  return queryOptions({
    queryKey: [screen.name, 'summary', company],
    queryFn: ({ signal }) => api.get<MoneySummary>(`${screen.api}/getSummary`, { company_id: company }, { signal }),
  });
}
