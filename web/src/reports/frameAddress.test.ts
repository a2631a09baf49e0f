import { describe, expect, it } from 'vitest';
import { carryFilters, diffFilters, parseAddress, buildSearch } from './frameAddress';

const filter = (key: string, column: string, latest = false, ranged = false, label = key) => ({
  key,
  id: `NATIVE_FILTER-${key}`,
  column,
  label,
  latest,
  ranged,
});

describe('the address of a report', () => {
  it('says how it stands and is read back, whatever the names contain', () => {
    const filters = { company: ['上海&苏州?', null], period: [] };
    const search = buildSearch({ goods_num: 'A+1' }, 'month', filters);
    const params = Object.fromEntries(new URLSearchParams(search));
    expect(parseAddress(params)).toEqual({ values: { goods_num: 'A+1' }, standing: { tab: 'month', filters } });
  });

  it('says nothing where it opens so by itself', () => {
    expect(buildSearch({}, null, null)).toBe('');
    expect(diffFilters({ company: ['乙', '甲'] }, { company: ['甲', '乙'] })).toEqual({});
  });

  it('says what is empty and opens on something', () => {
    expect(diffFilters({}, { company: ['甲'] })).toEqual({ company: [] });
  });

  it.each(['x', '[]x', 'null', '1'])('passes over %s', (text) => {
    expect(parseAddress({ filters: text }).standing.filters).toBeNull();
  });

  it('takes none that are no choices', () => {
    expect(parseAddress({ filters: '{"a":[1],"b":"x","c":["y"]}' }).standing.filters).toEqual({ c: ['y'] });
  });
});

describe('filters go along to another tab', () => {
  const from = [
    filter('period', 'month_label', true),
    filter('company', 'company_name'),
    filter('days', 'day', false, true),
  ];
  it('where they mean the same, the emptied ones as well', () => {
    const to = [
      filter('period', 'week_label', true),
      filter('company', 'company_name'),
      filter('days', 'day', false, false),
      filter('brand', 'brand_name'),
    ];
    const present = { period: ['2026-W47'], company: ['甲'], brand: ['米其林'] };
    expect(carryFilters({ period: ['2026-10'], company: ['乙'], days: ['Last week'] }, from, to, present)).toEqual({
      ...present,
      company: ['乙'],
    });
    expect(carryFilters({ period: ['2026-10'] }, from, to, present)).toEqual({ ...present, company: [] });
  });

  it('but no month to weeks of the same column', () => {
    const [months, weeks] = ['月', '周'].map((label) => [filter('period', 'period_label', true, false, label)]);
    expect(carryFilters({ period: ['2026-10'] }, months!, weeks!, { period: ['2026年第49周'] })).toEqual({
      period: ['2026年第49周'],
    });
  });

  it('but a period that none was chosen of stays', () => {
    expect(carryFilters({}, from, from, { period: ['2026-11'] })).toEqual({
      period: ['2026-11'],
      company: [],
      days: [],
    });
  });
});
