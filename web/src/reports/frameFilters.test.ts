import { describe, expect, it } from 'vitest';
import { readFilterValues, buildMask, encodeRison, addFilters } from './frameFilters';

const address = '/embedded/e?uiConfig=3&role_id=3';

describe('filters carried over', () => {
  it('leave the role at the end of the address', () => {
    const moved = addFilters(address, {
      'NATIVE_FILTER-brand': {
        id: 'NATIVE_FILTER-brand',
        filterState: { value: ['米其林'] },
        extraFormData: { filters: [{ col: 'brand_name', op: 'IN', val: ['米其林'] }] },
      },
    });
    expect(moved.endsWith('&uiConfig=3&role_id=3')).toBe(true);
    expect(decodeURIComponent(moved)).toContain(
      "native_filters=('NATIVE_FILTER-brand':('id':'NATIVE_FILTER-brand','extraFormData':('filters':!(('col':'brand_name','op':'IN','val':!('米其林')))),'filterState':('value':!('米其林')),'ownState':()))",
    );
  });

  it('are only those set', () => {
    expect(
      addFilters(address, {
        'NATIVE_FILTER-x': { filterState: { value: [] } },
        'chart-1': { filterState: { value: 1 } },
      }),
    ).toBe(address);
    expect(addFilters(address, {})).toBe(address);
  });

  it('are written so that quotes survive', () => {
    expect(encodeRison({ a: "it's!", b: [true, null, 1.5] })).toBe("('a':'it!'s!!','b':!(!t,!n,1.5))");
  });
});

describe('values told to an export', () => {
  const filters = [
    { key: 'company', id: 'NATIVE_FILTER-c', column: 'company_name', label: '筛选', latest: false, ranged: false },
    { key: 'period', id: 'NATIVE_FILTER-p', column: 'month_label', label: '筛选', latest: true, ranged: false },
    { key: 'brand', id: 'NATIVE_FILTER-b', column: 'brand_name', label: '筛选', latest: false, ranged: false },
    { key: 'days', id: 'NATIVE_FILTER-d', column: 'day', label: '筛选', latest: false, ranged: true },
  ];

  it('go by the keys of the report, empty ones left out', () => {
    const mask = {
      'NATIVE_FILTER-c': { filterState: { value: ['上海公司', null] } },
      'NATIVE_FILTER-p': { filterState: { value: '2026-11' } },
      'NATIVE_FILTER-b': { filterState: { value: [] } },
      'NATIVE_FILTER-other': { filterState: { value: ['x'] } },
      'chart-1': { filterState: { value: ['y'] } },
    };
    expect(readFilterValues(mask, filters)).toEqual({ company: ['上海公司', null], period: ['2026-11'] });
    expect(readFilterValues({}, filters)).toEqual({});
  });

  it('are set again by what was told, but for filters that are gone', () => {
    const values = { company: ['上海公司', null], period: ['2026-11'] };
    const mask = buildMask({ ...values, brand: [], gone: ['x'] }, filters);
    expect(readFilterValues(mask, filters)).toEqual(values);
    expect(mask['NATIVE_FILTER-c']?.extraFormData).toEqual({
      filters: [{ col: 'company_name', op: 'IN', val: ['上海公司', null] }],
    });
    expect(Object.keys(mask)).toEqual(['NATIVE_FILTER-c', 'NATIVE_FILTER-p']);
  });

  it('tell days in their own words, so that this month stays this month', () => {
    const mask = buildMask({ days: ['Current month'] }, filters);
    expect(mask['NATIVE_FILTER-d']).toEqual({
      id: 'NATIVE_FILTER-d',
      filterState: { value: 'Current month' },
      extraFormData: { time_range: 'Current month' },
    });
    expect(readFilterValues(mask, filters)).toEqual({ days: ['Current month'] });
  });
});
