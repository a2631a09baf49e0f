/** 列表报表: a report that is a list, with the export menu of all reports. */
import ListPage from '@/engine/list/ListPage';
import type { Screen } from '@/engine/types';
import type { Query } from '@/lib/api';
import { ExportMenu } from './ExportMenu';
import { FigureTools } from './figures/FigureTools';
import type { FilterValues } from './frameFilters';

/** A list has but one tab. */
export const LIST_TAB = 'all';
const PAGING_PARAMS = new Set(['page', 'per_page']);

interface Props {
  screen: Screen;
  params: Record<string, string>;
  /** True if it shows the notices about its figures; false on a page that shows them itself. */
  notices?: boolean;
}

export default function ListReportPage({ screen, params, notices }: Props) {
  return (
    <ListPage
      screen={screen}
      params={params}
      notices={notices}
      exporter={(query) => (
        <>
          <FigureTools
            code={screen.report ?? ''}
            tab={LIST_TAB}
            schemeScreen={screen.name}
            grouping={readGrouping(screen, query)}
          />
          <ExportMenu
            code={screen.report ?? ''}
            tab={LIST_TAB}
            filters={() => buildFilterValues(screen, query)}
            schemeScreen={screen.name}
            grouping={readGrouping(screen, query)}
          />
        </>
      )}
    />
  );
}

/** Return the grouping of a list, if it has one. */
function readGrouping({ groups }: Screen, query: Query): string | undefined {
  return groups ? String(query[groups.by] ?? '') : undefined;
}

/** Return the list's query as filter values; a default filter that the user cleared is empty. */
function buildFilterValues({ usual = {} }: Screen, query: Query): FilterValues {
  const entries = Object.entries(query).filter(
    ([name, value]) => value !== undefined && value !== '' && !PAGING_PARAMS.has(name),
  );
  return {
    ...Object.fromEntries(Object.keys(usual).map((name) => [name, ['']])),
    ...Object.fromEntries(entries.map(([name, value]) => [name, [String(value)]])),
  };
}
