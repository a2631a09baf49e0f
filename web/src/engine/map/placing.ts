/** How a place goes into a form's fields, and how a record's fields say where it lies. */
import { isWritable } from '../fields/fieldRules';
import { fieldText } from '../fields/fieldValue';
import { changeHeader, type FormModel } from '../form/formModel';
import { isRef, type Field, type Row } from '../types';
import { namesOf, regionText, type Region, type RegionNames } from './regionTree';

/** A chosen place: what the product knows of its region, the names it came by, and the street; null where no street was chosen. */
export interface Chosen {
  region: Region;
  names: RegionNames;
  street: string | null;
}

const LEVELS = { province: 'province', city: 'city', area: 'district' } as const;
type Level = keyof typeof LEVELS;
const FROM = '地图所选';

/** Fills in a place, marked, to be looked at before it is saved. Where a form has no fields for the region, the address begins with it. */
export function placeInto(form: FormModel, fields: Field[], field: Field, { region, names, street }: Chosen): void {
  const { values } = form.header.get();
  const changes: Row = {};
  const hints: Record<string, string> = {};
  const doubts: Record<string, string> = {};
  const regions = fields.filter((one) => isRef(one) && one.ref.resource in LEVELS && isWritable(one));
  for (const one of regions) {
    const level = one.ref!.resource as Level;
    const known = region[level];
    const name = names[LEVELS[level]];
    changes[one.name] = known?.id ?? null;
    if (one.label_field) changes[one.label_field] = known?.name ?? null;
    if (known) hints[one.name] = FROM;
    else if (name !== '') doubts[one.name] = `地区资料里没有“${name}”，请自选`;
  }
  const written = String(values[field.name] ?? '');
  const beginning = regions.length > 0 ? '' : regionText(ownNames(region, names));
  const address = street ?? (written.startsWith(beginning) ? written.slice(beginning.length) : written);
  if (street !== null || beginning !== '') {
    changes[field.name] = `${beginning}${address}`.slice(0, field.max_length ?? undefined);
    hints[field.name] = FROM;
  }
  changeHeader(form, fields, changes);
  form.header.set((before) => ({ ...before, hints: { ...before.hints, ...hints }, doubts: { ...before.doubts, ...doubts } }));
}

/** The product's own names where it knows them. */
function ownNames(region: Region, names: RegionNames): RegionNames {
  return region.province ? namesOf(region) : names;
}

export interface Address {
  names: RegionNames;
  street: string;
}

/** Where a record lies, by the names of its region and its address. */
export function addressOf(row: Row, street: string): Address {
  const name = (field: string) => (typeof row[field] === 'string' ? row[field] : '');
  return { names: { province: name('province_name'), city: name('city_name'), district: name('area_name') }, street };
}

export function addressText({ names, street }: Address): string {
  const region = regionText(names);
  return street.startsWith(region) || (names.province !== '' && street.startsWith(names.province)) ? street : `${region}${street}`;
}

/** A form's address, as filled in so far. */
export function addressIn(field: Field, row: Row): Address {
  return addressOf(row, fieldText(field, row));
}
