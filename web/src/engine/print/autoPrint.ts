/** Which bill types are printed once audited: a choice of this workplace, since the printer stands there. */
const KEY = 'hasAuditorStatusPrint';

export function autoPrinted(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

export function setAutoPrinted(names: string[]): void {
  localStorage.setItem(KEY, JSON.stringify(names));
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
