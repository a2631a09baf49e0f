import { DownOutlined, SearchOutlined, UpOutlined } from '@ant-design/icons';
import { Button, Input, type InputRef } from 'antd';
import { memo, useRef, useState } from 'react';
import { CHAIN, usePageKey } from '../../lib/pageKeys';
import { usePageActive } from '../../lib/tabs';
import { usePhone } from '../../lib/usePhone';
import { searchFields, type Field, type Screen } from '../types';
import { FilterField } from './FilterField';
import { labelKey, type ListState } from './listState';

interface FilterBarProps {
  screen: Screen;
  state: ListState;
  onSearch: (changes: Partial<ListState>) => void;
  onRefresh: () => void;
}

/** How many fields are shown before 展开; on a phone the rows come first. */
const FOLDED = 4;
const FOLDED_ON_PHONE = 0;
/** How many of the fields that a keyword is looked for in its box has room to name. */
const NAMED = 3;

/** Search fields of a list. Typing changes nothing until 查询 or Enter. */
export const FilterBar = memo(function FilterBar({ screen, state, onSearch, onRefresh }: FilterBarProps) {
  const [named] = useState(() => namedByKeyword(screen).filter((field) => !hasFilter(field, state.filters)));
  const fields = searchFields(screen).filter((field) => !named.some(({ name }) => name === field.name));
  const folded = usePhone() ? FOLDED_ON_PHONE : FOLDED;
  const [keyword, setKeyword] = useState(state.keyword);
  const box = useRef<InputRef>(null);
  const [filters, setFilters] = useState(state.filters);
  const [unfolded, setUnfolded] = useState(() => fields.slice(folded).some((field) => hasFilter(field, state.filters)));
  const hint = keywordHint(screen);
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
  usePageKey('find', usePageActive() && hint !== '', () => box.current?.focus({ cursor: 'all' }));
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
          title={`${CHAIN.find.combo}\u3000查找：${hint}`}
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
          <Button type="link" onClick={() => setUnfolded(!unfolded)} icon={unfolded ? <UpOutlined /> : <DownOutlined />}>
            {unfolded ? '收起' : '展开'}
          </Button>
        )}
      </span>
    </form>
  );
});

/** Fields that the keyword's box names: none is asked for a second time beside it, but where a link narrows by it alone. */
function namedByKeyword(screen: Screen): Field[] {
  if (screen.found_by) return [];
  return screen.fields.filter(({ type, search, masked }) => search && !masked && (type === 'text' || type === 'textarea')).slice(0, NAMED);
}

/** What a keyword is looked for in; empty where there is nothing. */
function keywordHint(screen: Screen): string {
  if (screen.keyword) return screen.keyword.join(' / ');
  const found = screen.fields.find((field) => field.name === screen.found_by);
  if (found) return `${found.label}编码 / 名称 / 规格 / 拼音`;
  return namedByKeyword(screen)
    .map((field) => field.label)
    .join(' / ');
}

function hasFilter(field: Field, filters: Record<string, string>): boolean {
  return [field.name, `${field.name}_start`, `${field.name}_end`, labelKey(field.name)].some((name) => filters[name]);
}
