import { readSlot, writeSlot } from '@/lib/localStorageSlot';

/** localStorage slot of the bill types printed on audit: a choice per workplace, where the printer is. */
const AUTO_PRINT_SLOT = 'autoPrint';

export function listAutoPrinted(): string[] {
  return readSlot<string[]>(AUTO_PRINT_SLOT) ?? [];
}

export function setAutoPrinted(names: string[]): void {
  writeSlot(AUTO_PRINT_SLOT, names);
}

/** A bill audited on its form is printed on the page that the form gives way to. */
let pendingPrint: { name: string; id: number } | null = null;

export function schedulePrint(name: string, id: number): void {
  if (listAutoPrinted().includes(name)) pendingPrint = { name, id };
}

/** Return whether this bill is to be printed now; true once. */
export function takeScheduledPrint(name: string, id: number): boolean {
  const found = pendingPrint?.name === name && pendingPrint.id === id;
  if (found) pendingPrint = null;
  return found;
}
