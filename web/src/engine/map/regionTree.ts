/** The product's own provinces, cities and districts: what an address is filled in by, with a map or without. */
import { queryOptions } from '@tanstack/react-query';
import type { AreaPlace, CityPlace, ProvincePlace } from '@/gen';
import { api } from '@/lib/api';
import { retry } from '../queries';

export type District = AreaPlace;
export type City = CityPlace;
export type Province = ProvincePlace;

/** As much of a region as is known. */
export interface Region {
  province?: Province;
  city?: City;
  area?: District;
}

export interface RegionNames {
  province: string;
  city: string;
  district: string;
}

export function regionsQuery() {
  return queryOptions({
    queryKey: ['map', 'regions'],
    queryFn: ({ signal }) => api.get<Province[]>('v2/open/Map/getRegions', {}, { signal }),
    staleTime: Infinity,
    meta: { quiet: true },
    retry,
  });
}

/** The regions that names stand for; a municipality is its own city, and a county right below a province has none of its own. */
export function regionNamed(tree: Province[], { province, city, district }: RegionNames): Region {
  const top = named(tree, province);
  if (!top) return {};
  const near = named(top.cities, city) ?? (top.cities.length === 1 ? top.cities[0] : undefined);
  const home = [...(near ? [near] : []), ...top.cities].find(({ areas }) => named(areas, district));
  const town = home ?? near;
  return { province: top, city: town, area: town && named(town.areas, district) };
}

function named<T extends District>(regions: T[], name: string): T | undefined {
  if (name === '') return undefined;
  return regions.find((one) => one.name === name) ?? regions.find((one) => one.name.startsWith(name) || name.startsWith(one.name));
}

/** Its names one after another, a municipality's once. */
export function regionText({ province, city, district }: RegionNames): string {
  return [province, city === province ? '' : city, district].join('');
}

export function namesOf({ province, city, area }: Region): RegionNames {
  return { province: province?.name ?? '', city: city?.name ?? '', district: area?.name ?? '' };
}

const MOST_FOUND = 50;

/** Regions by a part of their name, or by how their initials begin; those that begin with the words come first. */
export function findRegions(tree: Province[], words: string): Region[] {
  const typed = words.trim();
  if (typed === '') return [];
  const letters = typed.toUpperCase();
  const fits = ({ name, initials }: District) => name.includes(typed) || initials.split(' ').some((one) => one.startsWith(letters));
  const found: Region[] = [];
  for (const province of tree) {
    if (fits(province)) found.push({ province });
    for (const city of province.cities) {
      if (city.name !== province.name && fits(city)) found.push({ province, city });
      for (const area of city.areas) if (fits(area)) found.push({ province, city, area });
    }
  }
  const begins = (one: Region) => (deepest(one)?.name.startsWith(typed) ? 0 : 1);
  return found.sort((one, other) => begins(one) - begins(other)).slice(0, MOST_FOUND);
}

export function deepest({ province, city, area }: Region): District | undefined {
  return area ?? city ?? province;
}
