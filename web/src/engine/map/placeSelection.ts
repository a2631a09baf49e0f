/** Conversion between a place on the map and the fields of a form or record. */
import { isWritable } from '../fields/fieldRules';
import { formatField } from '../fields/fieldValue';
import { changeHeader, type FormModel } from '../form/formModel';
import { isRef, type Field, type Row } from '../types';
import { toRegionNames, formatRegion, type Region, type RegionNames } from './regionTree';

/** A selected place: its known region, the provider's names, and the street, null if none was selected. */
export interface PlaceSelection {
  region: Region;
  names: RegionNames;
  street: string | null;
}

const REGION_LEVELS = { province: 'province', city: 'city', area: 'district' } as const;
type RegionLevel = keyof typeof REGION_LEVELS;
const PLACE_SOURCE = '地图所选';

/** Fills in a place, marked, to be looked at before it is saved. Where a form has no fields for the region, the address begins with it. */
export function fillPlace(
  form: FormModel,
  fields: Field[],
  field: Field,
  { region, names, street }: PlaceSelection,
): void {
  const { values } = form.header.get();
  const changes: Row = {};
  const hints: Record<string, string> = {};
  const doubts: Record<string, string> = {};
  const regions = fields.filter((one) => isRef(one) && one.ref.resource in REGION_LEVELS && isWritable(one));
  for (const one of regions) {
    const level = one.ref!.resource as RegionLevel;
    const known = region[level];
    const name = names[REGION_LEVELS[level]];
    changes[one.name] = known?.id ?? null;
    if (one.label_field) changes[one.label_field] = known?.name ?? null;
    if (known) hints[one.name] = PLACE_SOURCE;
    else if (name !== '') doubts[one.name] = `地区资料里没有“${name}”，请自选`;
  }
  const written = String(values[field.name] ?? '');
  const beginning = regions.length > 0 ? '' : formatRegion(resolveRegionNames(region, names));
  const address = street ?? (written.startsWith(beginning) ? written.slice(beginning.length) : written);
  if (street !== null || beginning !== '') {
    changes[field.name] = `${beginning}${address}`.slice(0, field.max_length ?? undefined);
    hints[field.name] = PLACE_SOURCE;
  }
  changeHeader(form, fields, changes);
  form.header.set((before) => ({
    ...before,
    hints: { ...before.hints, ...hints },
    doubts: { ...before.doubts, ...doubts },
  }));
}

/** The product's own names where it knows them. */
function resolveRegionNames(region: Region, names: RegionNames): RegionNames {
  return region.province ? toRegionNames(region) : names;
}

export interface Address {
  names: RegionNames;
  street: string;
}

/** Return a record's address by the names of its region and its street. */
export function buildAddress(row: Row, street: string): Address {
  const name = (field: string) => (typeof row[field] === 'string' ? row[field] : '');
  return { names: { province: name('province_name'), city: name('city_name'), district: name('area_name') }, street };
}

export function formatAddress({ names, street }: Address): string {
  const region = formatRegion(names);
  return street.startsWith(region) || (names.province !== '' && street.startsWith(names.province))
    ? street
    : `${region}${street}`;
}

/** A form's address, as filled in so far. */
export function readFormAddress(field: Field, row: Row): Address {
  return buildAddress(row, formatField(field, row));
}
