/** 常用筛选: the filters of a report's tab kept under a name; the period moves with the figures unless it is held. */
import { Checkbox } from 'antd';
import { useState } from 'react';
import type { FrameTab } from '@/gen';
import { SchemeMenu } from '@/engine/list/SchemeMenu';
import { defaultScheme } from '@/engine/list/schemes';
import type { FilterValues } from './frameFilters';
import type { FramePort } from './framePort';
import { shownFilters } from './reportExport';

export interface FilterSet {
  filters: FilterValues;
}

/** Under which name a tab's filters are kept among the user's query schemes. */
export function filterScreen(code: string, tab: string): string {
  return `report_${code}/${tab}`;
}

/** What a tab opens with. */
export function usualFilters(code: string, tab: string): FilterValues {
  return defaultScheme<FilterSet>(filterScreen(code, tab))?.filters ?? {};
}

interface Props {
  code: string;
  tab: FrameTab;
  /** The talk with the tab's frame, once it answers. */
  port: () => FramePort | null;
  onApply: (filters: FilterValues) => void;
}

export function FilterSets({ code, tab, port, onApply }: Props) {
  const [held, setHeld] = useState(false);
  const periods = tab.filters.filter(({ latest }) => latest).map(({ key }) => key);
  const read = async (): Promise<FilterSet> => {
    const shown = Object.entries(await shownFilters(tab, port()));
    return { filters: Object.fromEntries(shown.filter(([key]) => held || !periods.includes(key))) };
  };

  return (
    <SchemeMenu<FilterSet>
      screen={filterScreen(code, tab.key)}
      label="常用筛选"
      size="small"
      publishable={false}
      read={read}
      onApply={({ filters }) => onApply(filters)}
    >
      {periods.length > 0 && (
        <Checkbox checked={held} onChange={(event) => setHeld(event.target.checked)}>
          固定所选期间（不选则总是最新一期）
        </Checkbox>
      )}
    </SchemeMenu>
  );
}
