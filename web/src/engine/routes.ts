import { useCallback } from 'react';
import { useTabs } from '../lib/tabs';
import { labelKey } from './list/listState';
import type { Drill, FollowUp, Row, Screen } from './types';
import { isRef, recordKey, searchFields } from './types';

type FilterValues = Record<string, string>;

/** Navigation of a screen: its add, edit and see pages, and back. */
export function useScreenLinks(screen: Screen) {
  const tabs = useTabs();
  const { routes, label } = screen;
  const open = useCallback((address: string, name: string) => tabs.open(address, name), [tabs]);
  return {
    add: () => routes.add && open(routes.add, `新增${label}`),
    copy: (row: Row) => routes.add && open(`${routes.add}?copy=${recordKey(screen, row)}`, `新增${label}`),
    edit: (row: Row) => {
      const route = routes.edit ?? routes.add;
      if (route) open(`${route}?id=${recordKey(screen, row)}`, `修改${label}`);
    },
    /** The list or bill behind a row, narrowed as the row's own list is. */
    drill: (row: Row, filters: FilterValues = {}) => {
      const address = screen.drill && buildDrillRoute(screen, screen.drill, row, filters);
      if (screen.drill && address) open(address, drillTitle(screen, screen.drill, row));
    },
    see: (row: Row) => routes.see && open(`${routes.see}?id=${String(row[screen.see_key])}`, `${label}详情`),
    /** Another record in the place of this page. */
    replaceSee: (id: number) => routes.see && tabs.replace(`${routes.see}?id=${id}`),
    /** Opens a bill drawn from this one. */
    follow: (up: FollowUp, id: number) =>
      open(`${up.route}?from=${id}${up.source ? `&source=${up.source}` : ''}`, up.label.replace(/^生成/, '新增')),
    /** Whether a row opens its own page, or what it drills into. */
    leads: (row: Row) =>
      Boolean(routes.see) || (screen.drill ? buildDrillRoute(screen, screen.drill, row) !== '' : false),
    list: () => tabs.open(routes.list, label, { keepAlive: true }),
    hasForm: Boolean(routes.edit ?? routes.add),
    canSee: Boolean(routes.see),
  };
}

/** A bill's tab has its number: a report leads to many of them. */
function drillTitle(screen: Screen, drill: Drill, row: Row): string {
  return (drill.route_field && screen.title_field && String(row[screen.title_field] ?? '')) || drill.label;
}

function buildDrillRoute(screen: Screen, drill: Drill, row: Row, filters: FilterValues = {}): string {
  if (drill.route_field) return String(row[drill.route_field] ?? '');
  const labels = new Map(screen.fields.map((field) => [field.name, field.label_field]));
  const own = Object.entries(drill.by).flatMap(([name, field]): [string, unknown][] => [
    [name, row[field]],
    [labelKey(name), row[labels.get(field) ?? '']],
  ]);
  const given = [...own, ...listDrillFilters(screen, row, filters)].map(([name, value]): [string, string] => [
    name,
    String(value ?? ''),
  ]);
  const params = given.filter(
    ([name, value], at) => value !== '' && given.findIndex(([other, said]) => other === name && said !== '') === at,
  );
  return `${drill.route}?${new URLSearchParams(params)}`;
}

/**
 * Return the filters of a row's figures besides its drill keys: the list's reference and flag filters; of several
 * values the row's own.
 */
function listDrillFilters(screen: Screen, row: Row, filters: FilterValues): [string, unknown][] {
  const chosen = searchFields(screen).filter((field) => (isRef(field) || field.type === 'bool') && filters[field.name]);
  return chosen.flatMap(({ name, label_field: label }): [string, unknown][] => {
    const of = row[name] ?? null;
    return of === null
      ? [
          [name, filters[name]],
          [labelKey(name), filters[labelKey(name)]],
        ]
      : [
          [name, of],
          [labelKey(name), row[label ?? '']],
        ];
  });
}
