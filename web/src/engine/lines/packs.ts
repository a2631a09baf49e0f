import { decimalOrZero, parseDecimal, type Decimal } from '../../lib/decimal';
import { QUANTITY_DECIMALS } from '../../lib/pricing';
import { isEmptyRef } from '../fields/fieldValue';
import type { PackUnit } from '../queries';
import type { Field, Pricing, Row } from '../types';

/** Lines counted by packs: 数量 = 件数 × 换算率; its cases are tests/golden/packs.json, shared with the server. */

export const PACK = { unit: 'pack_unit_id', name: 'pack_unit_name', quantity: 'pack_quantity', factor: 'pack_factor' } as const;
export const NO_PACK: Row = { [PACK.unit]: null, [PACK.name]: null, [PACK.quantity]: '', [PACK.factor]: null };

export const PACK_PROBLEM = '件数×换算率与数量不符';

/** Whether packs that were told beside a quantity are not what it came to. */
export function isMiscounted(packs: unknown, values: Row): boolean {
  return parseDecimal(packs) !== null && !decimalOrZero(packs).eq(decimalOrZero(values[PACK.quantity]));
}

export function quantityOf(packs: Decimal, factor: Decimal): Decimal {
  return packs.times(factor).toDecimalPlaces(QUANTITY_DECIMALS);
}

/** The packs that come to a quantity; null where none do. */
export function packsOf(quantity: Decimal, factor: Decimal): Decimal | null {
  const packs = quantity.div(factor).toDecimalPlaces(QUANTITY_DECIMALS);
  return packs.gt(0) && quantityOf(packs, factor).eq(quantity) ? packs : null;
}

export function isPack(field: Field): boolean {
  return field.name === PACK.unit || field.name === PACK.quantity || field.name === PACK.factor;
}

/** The field of a line's quantity, which unpriced lines have as well. */
export function quantityField(pricing: Pricing | null): string {
  return pricing?.quantity ?? 'quantity';
}

/** The units that a line's goods may be counted by; null while nobody has asked. */
export function unitsOf(values: Row): PackUnit[] | null {
  return Array.isArray(values.units) ? (values.units as PackUnit[]) : null;
}

export function hasPacks(values: Row): boolean {
  return (unitsOf(values)?.length ?? 0) > 0 || !isEmptyRef(values[PACK.unit]);
}

export function packOf(unit: Pick<PackUnit, 'unit_id' | 'unit_name' | 'factor'>): Row {
  return { [PACK.unit]: unit.unit_id, [PACK.name]: unit.unit_name, [PACK.factor]: unit.factor };
}

/** The unit that was scanned. */
export function scannedPack(units: PackUnit[] | undefined, code: string): PackUnit | undefined {
  const wanted = code.trim().toLowerCase();
  return wanted === '' ? undefined : units?.find((unit) => unit.barcode?.toLowerCase() === wanted);
}

/** What the unit, the packs or the quantity just entered make of the others: a quantity that is no number of packs has none. */
export function repacked(values: Row, edited: string, quantity: string): Row {
  if (edited !== PACK.unit && edited !== PACK.quantity && edited !== quantity) return {};
  const packs = parseDecimal(values[PACK.quantity]);
  if (edited === PACK.quantity && packs === null) return NO_PACK;
  if (edited === PACK.unit && isEmptyRef(values[PACK.unit])) return NO_PACK;
  const unit = chosenUnit(values) ?? (edited === PACK.quantity && isEmptyRef(values[PACK.unit]) ? unitsOf(values)?.[0] : undefined);
  if (!unit) return {};
  const factor = decimalOrZero(unit.factor);
  if (edited !== quantity && packs !== null) return { ...packOf(unit), [quantity]: quantityOf(packs, factor).toString() };
  const fitting = packsOf(decimalOrZero(values[quantity]), factor);
  if (fitting !== null) return { ...packOf(unit), [PACK.quantity]: fitting.toString() };
  return edited === quantity ? NO_PACK : packOf(unit);
}

/** A line's packs as its goods' units have become meanwhile: the quantity stays. */
export function withUnits(values: Row, units: PackUnit[], quantity: string): Row {
  const known = { ...values, units };
  if (isEmptyRef(values[PACK.unit])) return known;
  return { ...known, ...(chosenUnit(known) ? repacked(known, quantity, quantity) : NO_PACK) };
}

function chosenUnit(values: Row): Pick<PackUnit, 'unit_id' | 'unit_name' | 'factor'> | undefined {
  const id = values[PACK.unit];
  if (isEmptyRef(id)) return undefined;
  const units = unitsOf(values);
  if (units) return units.find((unit) => unit.unit_id === Number(id));
  const factor = parseDecimal(values[PACK.factor]);
  return factor ? { unit_id: Number(id), unit_name: String(values[PACK.name] ?? ''), factor: factor.toString() } : undefined;
}
