import { decimalOrZero, parseDecimal, type Decimal } from '../../lib/decimal';
import { QUANTITY_DECIMALS } from '../../lib/pricing';
import { isEmptyRef } from '../fields/fieldValue';
import type { PackUnit } from '../queries';
import type { Field, Pricing, Row } from '../types';

/** Lines counted by packs: 数量 = 件数 × 换算率; its cases are tests/golden/packs.json, shared with the server. */

export const PACK_FIELDS = {
  unit: 'pack_unit_id',
  name: 'pack_unit_name',
  quantity: 'pack_quantity',
  factor: 'pack_factor',
} as const;
export const NO_PACK: Row = {
  [PACK_FIELDS.unit]: null,
  [PACK_FIELDS.name]: null,
  [PACK_FIELDS.quantity]: '',
  [PACK_FIELDS.factor]: null,
};

export const PACK_PROBLEM = '件数×换算率与数量不符';

/** Return whether given packs differ from those computed from the quantity. */
export function isMiscounted(packs: unknown, values: Row): boolean {
  return parseDecimal(packs) !== null && !decimalOrZero(packs).eq(decimalOrZero(values[PACK_FIELDS.quantity]));
}

export function packsToQuantity(packs: Decimal, factor: Decimal): Decimal {
  return packs.times(factor).toDecimalPlaces(QUANTITY_DECIMALS);
}

/** The packs that come to a quantity; null where none do. */
export function quantityToPacks(quantity: Decimal, factor: Decimal): Decimal | null {
  const packs = quantity.div(factor).toDecimalPlaces(QUANTITY_DECIMALS);
  return packs.gt(0) && packsToQuantity(packs, factor).eq(quantity) ? packs : null;
}

export function isPackField(field: Field): boolean {
  return field.name === PACK_FIELDS.unit || field.name === PACK_FIELDS.quantity || field.name === PACK_FIELDS.factor;
}

/** The field of a line's quantity, which unpriced lines have as well. */
export function quantityField(pricing: Pricing | null): string {
  return pricing?.quantity ?? 'quantity';
}

/** The units that a line's goods may be counted by; null while nobody has asked. */
export function readUnits(values: Row): PackUnit[] | null {
  return Array.isArray(values.units) ? (values.units as PackUnit[]) : null;
}

export function hasPacks(values: Row): boolean {
  return (readUnits(values)?.length ?? 0) > 0 || !isEmptyRef(values[PACK_FIELDS.unit]);
}

export function buildPackValues(unit: Pick<PackUnit, 'unit_id' | 'unit_name' | 'factor'>): Row {
  return { [PACK_FIELDS.unit]: unit.unit_id, [PACK_FIELDS.name]: unit.unit_name, [PACK_FIELDS.factor]: unit.factor };
}

/** The unit that was scanned. */
export function findScannedPack(units: PackUnit[] | undefined, code: string): PackUnit | undefined {
  const wanted = code.trim().toLowerCase();
  return wanted === '' ? undefined : units?.find((unit) => unit.barcode?.toLowerCase() === wanted);
}

/**
 * Recompute unit, packs and quantity after one of them was entered; a quantity that is no multiple of the pack has no
 * packs.
 */
export function recomputePacks(values: Row, edited: string, quantity: string): Row {
  if (edited !== PACK_FIELDS.unit && edited !== PACK_FIELDS.quantity && edited !== quantity) return {};
  const packs = parseDecimal(values[PACK_FIELDS.quantity]);
  if (edited === PACK_FIELDS.quantity && packs === null) return NO_PACK;
  if (edited === PACK_FIELDS.unit && isEmptyRef(values[PACK_FIELDS.unit])) return NO_PACK;
  const unit =
    findChosenUnit(values) ??
    (edited === PACK_FIELDS.quantity && isEmptyRef(values[PACK_FIELDS.unit]) ? readUnits(values)?.[0] : undefined);
  if (!unit) return {};
  const factor = decimalOrZero(unit.factor);
  if (edited !== quantity && packs !== null)
    return { ...buildPackValues(unit), [quantity]: packsToQuantity(packs, factor).toString() };
  const fitting = quantityToPacks(decimalOrZero(values[quantity]), factor);
  if (fitting !== null) return { ...buildPackValues(unit), [PACK_FIELDS.quantity]: fitting.toString() };
  return edited === quantity ? NO_PACK : buildPackValues(unit);
}

/** A line's packs as its goods' units have become meanwhile: the quantity stays. */
export function updateUnits(values: Row, units: PackUnit[], quantity: string): Row {
  const known = { ...values, units };
  if (isEmptyRef(values[PACK_FIELDS.unit])) return known;
  return { ...known, ...(findChosenUnit(known) ? recomputePacks(known, quantity, quantity) : NO_PACK) };
}

function findChosenUnit(values: Row): Pick<PackUnit, 'unit_id' | 'unit_name' | 'factor'> | undefined {
  const id = values[PACK_FIELDS.unit];
  if (isEmptyRef(id)) return undefined;
  const units = readUnits(values);
  if (units) return units.find((unit) => unit.unit_id === Number(id));
  const factor = parseDecimal(values[PACK_FIELDS.factor]);
  return factor
    ? { unit_id: Number(id), unit_name: String(values[PACK_FIELDS.name] ?? ''), factor: factor.toString() }
    : undefined;
}
