import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DraftStorage } from './draftStorage';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
});

it('keeps the newest drafts of a form that is left again and again', () => {
  for (let day = 1; day < 9; day++)
    new DraftStorage('sales_outbound', 'new').saveDraft({
      visit: `v${day}`,
      at: `2026-11-0${day} 09:00:00`,
      values: { day },
    });
  expect(new DraftStorage('sales_outbound', 'new').listOffered().map((draft) => draft.values.day)).toEqual([
    8, 7, 6, 5, 4,
  ]);
});
