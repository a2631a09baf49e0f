/** 数字口径: the server's explanation of the figures of a report's tab or of a list. */
import { queryOptions } from '@tanstack/react-query';
import type { ExplainedFigure, ExplainedReport } from '@/gen';
import { api } from '@/lib/api';

export function explanationQuery(code: string, tab: string, grouping = '') {
  return queryOptions({
    queryKey: ['report', 'explanation', code, tab, grouping],
    queryFn: () => api.get<ExplainedReport>('v2/report/Figure/getExplanation', { code, tab, grouping }),
    staleTime: 0,
  });
}

/** Figures of which a name, or what is said of them, has the text. */
export function filterFigures(figures: ExplainedFigure[], text: string): ExplainedFigure[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return figures;
  return figures.filter(({ label, note, formula }) =>
    [label, note, formula ?? ''].some((part) => part.toLowerCase().includes(wanted)),
  );
}
