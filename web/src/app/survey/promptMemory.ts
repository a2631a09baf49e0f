/** A survey prompts once per user, day and survey. */
import { today } from '@/lib/businessClock';
import { readStored, writeStored } from '@/lib/stored';

const KEY = 'surveyPrompted';

interface Prompted {
  day: string;
  ids: number[];
}

function promptedToday(): Prompted {
  const day = today();
  const stored = readStored<Prompted>(KEY);
  return stored?.day === day ? stored : { day, ids: [] };
}

export function wasPrompted(id: number): boolean {
  return promptedToday().ids.includes(id);
}

export function notePrompt(id: number): void {
  const { day, ids } = promptedToday();
  writeStored(KEY, { day, ids: [...ids.filter((known) => known !== id), id] } satisfies Prompted);
}
