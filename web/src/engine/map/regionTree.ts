/** Tree of provinces, cities and districts that fills in addresses, with a map or without. */
import { queryOptions } from '@tanstack/react-query';
import type { AreaPlace, CityPlace, ProvincePlace } from '@/gen';
import { api } from '@/lib/api';
import { shouldRetry } from '../queries';

export type District = AreaPlace;
export type City = CityPlace;
export type Province = ProvincePlace;

/** A region, as far as it is known. */
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
    retry: shouldRetry,
  });
}

/** The regions that names stand for; a municipality is its own city, and a county right below a province has none of its own. */
export function findRegionByNames(tree: Province[], { province, city, district }: RegionNames): Region {
  const top = findByName(tree, province);
  if (!top) return {};
  const near = findByName(top.cities, city) ?? (top.cities.length === 1 ? top.cities[0] : undefined);
  const home = [...(near ? [near] : []), ...top.cities].find(({ areas }) => findByName(areas, district));
  const town = home ?? near;
  return { province: top, city: town, area: town && findByName(town.areas, district) };
}

function findByName<T extends District>(regions: T[], name: string): T | undefined {
  if (name === '') return undefined;
  return (
    regions.find((one) => one.name === name) ??
    regions.find((one) => one.name.startsWith(name) || name.startsWith(one.name))
  );
}

/** Join the region's names; a municipality's name appears once. */
export function formatRegion({ province, city, district }: RegionNames): string {
  return [province, city === province ? '' : city, district].join('');
}

export function toRegionNames({ province, city, area }: Region): RegionNames {
  return { province: province?.name ?? '', city: city?.name ?? '', district: area?.name ?? '' };
}

const MAX_RESULTS = 50;

/** Regions by a part of their name, or by how their initials begin; those that begin with the words come first. */
export function findRegions(tree: Province[], words: string): Region[] {
  const typed = words.trim();
  if (typed === '') return [];
  const letters = typed.toUpperCase();
  const fits = ({ name, initials }: District) =>
    name.includes(typed) || initials.split(' ').some((one) => one.startsWith(letters));
  const found: Region[] = [];
  for (const province of tree) {
    if (fits(province)) found.push({ province });
    for (const city of province.cities) {
      if (city.name !== province.name && fits(city)) found.push({ province, city });
      for (const area of city.areas) if (fits(area)) found.push({ province, city, area });
    }
  }
  const begins = (one: Region) => (deepestLevel(one)?.name.startsWith(typed) ? 0 : 1);
  return found.sort((one, other) => begins(one) - begins(other)).slice(0, MAX_RESULTS);
}

export function deepestLevel({ province, city, area }: Region): District | undefined {
  return area ?? city ?? province;
}
