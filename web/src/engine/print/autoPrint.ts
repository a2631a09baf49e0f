import { readStored, writeStored } from '@/lib/stored';

/** Which bill types are printed once audited: a choice of the user at this workplace, since the printer stands there. */
const KEY = 'autoPrint';

export function autoPrinted(): string[] {
  return readStored<string[]>(KEY) ?? [];
}

export function setAutoPrinted(names: string[]): void {
  writeStored(KEY, names);
}

/** A bill audited on its form is printed on the page that the form gives way to. */
let awaited: { name: string; id: number } | null = null;

export function printOnItsPage(name: string, id: number): void {
  if (autoPrinted().includes(name)) awaited = { name, id };
}

/** Whether this bill is to be printed now; true once. */
export function takeAwaited(name: string, id: number): boolean {
  const found = awaited?.name === name && awaited.id === id;
  if (found) awaited = null;
  return found;
}
