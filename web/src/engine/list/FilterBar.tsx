import { DownOutlined, SearchOutlined, UpOutlined } from '@ant-design/icons';
import { Button, Input, type InputRef } from 'antd';
import { memo, useRef, useState } from 'react';
import { BILL_SHORTCUTS, usePageShortcut } from '../../lib/pageShortcuts';
import { usePageActive } from '../../lib/tabs';
import { useIsPhone } from '../../lib/useIsPhone';
import { searchFields, type Field, type Screen } from '../types';
import { FilterField } from './FilterField';
import { labelKey, type ListState } from './listState';

interface FilterBarProps {
  screen: Screen;
  state: ListState;
  onSearch: (changes: Partial<ListState>) => void;
  onRefresh: () => void;
}

/** Number of fields shown before 展开; none on a phone, where the rows come first. */
const COLLAPSED_FIELDS = 4;
const COLLAPSED_ON_PHONE = 0;
/** Maximum number of searched fields that the keyword box names. */
const MAX_NAMED_FIELDS = 3;

/** Search fields of a list. Typing changes nothing until 查询 or Enter. */
export const FilterBar = memo(function FilterBar({ screen, state, onSearch, onRefresh }: FilterBarProps) {
  const [named] = useState(() => listKeywordFields(screen).filter((field) => !hasFilter(field, state.filters)));
  const fields = searchFields(screen).filter((field) => !named.some(({ name }) => name === field.name));
  const folded = useIsPhone() ? COLLAPSED_ON_PHONE : COLLAPSED_FIELDS;
  const [keyword, setKeyword] = useState(state.keyword);
  const box = useRef<InputRef>(null);
  const [filters, setFilters] = useState(state.filters);
  const [unfolded, setUnfolded] = useState(() => fields.slice(folded).some((field) => hasFilter(field, state.filters)));
  const hint = formatKeywordHint(screen);
  const shown = unfolded ? fields : fields.slice(0, folded);
  const search = () => {
    const unchanged = keyword === state.keyword && JSON.stringify(filters) === JSON.stringify(state.filters);
    if (unchanged && state.page === 1) onRefresh();
    else onSearch({ keyword, filters });
  };
  const reset = () => {
    setKeyword('');
    setFilters(screen.usual ?? {});
    onSearch({ keyword: '', filters: screen.usual ?? {} });
  };
  const change = (changes: Record<string, string>) => setFilters((before) => ({ ...before, ...changes }));
  usePageShortcut('find', usePageActive() && hint !== '', () => box.current?.focus({ cursor: 'all' }));
  if (!hint && fields.length === 0) return null;
  return (
    <form
      className="filter-bar"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      {hint && (
        <Input
          ref={box}
          title={`${BILL_SHORTCUTS.find.combo}\u3000查找：${hint}`}
          className="filter-keyword"
          allowClear
          maxLength={100}
          prefix={<SearchOutlined />}
          aria-label="关键字"
          placeholder={hint}
          value={keyword}
          onChange={(event) => setKeyword(event.target.value)}
        />
      )}
      {shown.map((field) => (
        <FilterField key={field.name} field={field} filters={filters} onChange={change} />
      ))}
      <span className="filter-buttons">
        <Button type="primary" htmlType="submit">
          查询
        </Button>
        <Button onClick={reset}>重置</Button>
        {fields.length > folded && (
          <Button
            type="link"
            onClick={() => setUnfolded(!unfolded)}
            icon={unfolded ? <UpOutlined /> : <DownOutlined />}
          >
            {unfolded ? '收起' : '展开'}
          </Button>
        )}
      </span>
    </form>
  );
});

/** Return the fields that the keyword box names. They aren't repeated as filters, unless a link narrows by one. */
function listKeywordFields(screen: Screen): Field[] {
  if (screen.found_by) return [];
  return screen.fields
    .filter(({ type, search, masked }) => search && !masked && (type === 'text' || type === 'textarea'))
    .slice(0, MAX_NAMED_FIELDS);
}

/** Return the names of the fields that the keyword searches; empty if there are none. */
function formatKeywordHint(screen: Screen): string {
  if (screen.keyword) return screen.keyword.join(' / ');
  const found = screen.fields.find((field) => field.name === screen.found_by);
  if (found) return `${found.label}编码 / 名称 / 规格 / 拼音`;
  return listKeywordFields(screen)
    .map((field) => field.label)
    .join(' / ');
}

function hasFilter(field: Field, filters: Record<string, string>): boolean {
  return [field.name, `${field.name}_start`, `${field.name}_end`, labelKey(field.name)].some((name) => filters[name]);
}
