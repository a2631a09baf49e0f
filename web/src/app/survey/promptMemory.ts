/** A survey prompts once per user, day and survey. */
import dayjs from 'dayjs';
import { DATE } from '@/lib/format';
import { readStored, writeStored } from '@/lib/stored';

const KEY = 'surveyPrompted';

interface Prompted {
  day: string;
  ids: number[];
}

function today(now: Date): Prompted {
  const day = dayjs(now).format(DATE);
  const stored = readStored<Prompted>(KEY);
  return stored?.day === day ? stored : { day, ids: [] };
}

export function wasPrompted(id: number, now = new Date()): boolean {
  return today(now).ids.includes(id);
}

export function notePrompt(id: number, now = new Date()): void {
  const { day, ids } = today(now);
  writeStored(KEY, { day, ids: [...ids.filter((known) => known !== id), id] } satisfies Prompted);
}
