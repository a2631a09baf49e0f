/** 列表报表: a report that is a list, with the export menu of all reports. */
import ListPage from '@/engine/list/ListPage';
import type { Screen } from '@/engine/types';
import type { Query } from '@/lib/api';
import { ExportMenu } from './ExportMenu';
import { FigureTools } from './figures/FigureTools';
import type { FilterValues } from './frameFilters';

/** A list has but one tab. */
export const TAB = 'all';
const paging = new Set(['page', 'per_page']);

interface Props {
  screen: Screen;
  params: Record<string, string>;
  /** Whether it tells what to know of its figures; on a page that does, it need not. */
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
          <FigureTools code={screen.report ?? ''} tab={TAB} keptAs={screen.name} grouping={groupingOf(screen, query)} />
          <ExportMenu
            code={screen.report ?? ''}
            tab={TAB}
            filters={() => askedValues(screen, query)}
            keptAs={screen.name}
            grouping={groupingOf(screen, query)}
          />
        </>
      )}
    />
  );
}

/** What a list is summed up by, where it is. */
function groupingOf({ groups }: Screen, query: Query): string | undefined {
  return groups ? String(query[groups.by] ?? '') : undefined;
}

/** What the list is asked, as filters; one that it opens with and the user took away is empty, not as it opens. */
function askedValues({ usual = {} }: Screen, query: Query): FilterValues {
  const asked = Object.entries(query).filter(([name, value]) => value !== undefined && value !== '' && !paging.has(name));
  return {
    ...Object.fromEntries(Object.keys(usual).map((name) => [name, ['']])),
    ...Object.fromEntries(asked.map(([name, value]) => [name, [String(value)]])),
  };
}
