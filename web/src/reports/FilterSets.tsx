/** 常用筛选: named filters of a report's tab; the period moves with the figures unless it is fixed. */
import { Checkbox } from 'antd';
import { useState } from 'react';
import type { FrameTab } from '@/gen';
import { SchemeMenu } from '@/engine/list/SchemeMenu';
import { readDefaultScheme } from '@/engine/list/schemes';
import type { FilterValues } from './frameFilters';
import type { FramePort } from './framePort';
import { readShownFilters } from './reportExport';

export interface FilterSet {
  filters: FilterValues;
}

/** Return the screen name under which a tab's filters are stored among the user's query schemes. */
export function filterSchemeScreen(code: string, tab: string): string {
  return `report_${code}/${tab}`;
}

/** Return the filters that a tab opens with. */
export function readDefaultFilters(code: string, tab: string): FilterValues {
  return readDefaultScheme<FilterSet>(filterSchemeScreen(code, tab))?.filters ?? {};
}

interface Props {
  code: string;
  tab: FrameTab;
  /** The talk with the tab's frame, once it answers. */
  port: () => FramePort | null;
  onApply: (filters: FilterValues) => void;
}

export function FilterSets({ code, tab, port, onApply }: Props) {
  const [isFixed, setHeld] = useState(false);
  const periods = tab.filters.filter(({ latest }) => latest).map(({ key }) => key);
  const read = async (): Promise<FilterSet> => {
    const shown = Object.entries(await readShownFilters(tab, port()));
    return { filters: Object.fromEntries(shown.filter(([key]) => isFixed || !periods.includes(key))) };
  };

  return (
    <SchemeMenu<FilterSet>
      screen={filterSchemeScreen(code, tab.key)}
      label="常用筛选"
      size="small"
      canPublish={false}
      readQuery={read}
      onApply={({ filters }) => onApply(filters)}
    >
      {periods.length > 0 && (
        <Checkbox checked={isFixed} onChange={(event) => setHeld(event.target.checked)}>
          固定所选期间（不选则总是最新一期）
        </Checkbox>
      )}
    </SchemeMenu>
  );
}
