/** A survey prompts once per user, day and survey. */
import { today } from '@/lib/businessClock';
import { readSlot, writeSlot } from '@/lib/localStorageSlot';

const PROMPT_SLOT = 'surveyPrompted';

interface PromptMemory {
  day: string;
  ids: number[];
}

function readPromptedToday(): PromptMemory {
  const day = today();
  const stored = readSlot<PromptMemory>(PROMPT_SLOT);
  return stored?.day === day ? stored : { day, ids: [] };
}

export function wasPrompted(id: number): boolean {
  return readPromptedToday().ids.includes(id);
}

export function recordPrompt(id: number): void {
  const { day, ids } = readPromptedToday();
  writeSlot(PROMPT_SLOT, { day, ids: [...ids.filter((known) => known !== id), id] } satisfies PromptMemory);
}
