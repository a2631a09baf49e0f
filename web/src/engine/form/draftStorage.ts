import { cancelPendingSave, removePreference, savePreference, savePreferenceDebounced } from '../../lib/preferences';
import { openSlot, type LocalStorageSlot } from '../../lib/localStorageSlot';
import type { Row } from '../types';

/** A form as it stood at a time. */
export interface Draft {
  /** Identifier of the form that wrote it, from opening or recall until it is left. */
  visit: string;
  at: string;
  values: Row;
}

const SERVER_DELAY = 3000;
/** Older ones give way: a browser keeps five megabytes. */
const MAX_DRAFTS = 5;

/** Parse stored drafts; an older format is a single draft without a list. */
export function parseDrafts(kept: unknown): Draft[] {
  return [kept ?? []].flat() as Draft[];
}

function sortNewestFirst(drafts: Draft[]): Draft[] {
  const older = drafts.toSorted((a, b) => a.at.localeCompare(b.at));
  return [...new Map(older.map((draft) => [draft.visit, draft])).values()].sort((a, b) => b.at.localeCompare(a.at));
}

/**
 * The unsaved drafts of one form. A visit writes its own and leaves the others until each is answered: what an earlier one
 * left, and what another window writes. This browser's copy is written first, the server's follows, so that a form can be
 * gone on with elsewhere.
 */
export class DraftStorage {
  readonly #slot: LocalStorageSlot;
  readonly #screen: string;
  readonly #which: string;
  readonly #dismissed = new Set<string>();
  readonly #own = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #serverDrafts: Draft[] = [];
  #offeredDrafts: Draft[] = [];

  constructor(screen: string, which: string) {
    this.#slot = openSlot(`draft:${screen}:${which}`);
    this.#screen = screen;
    this.#which = which;
    this.#publishOffered();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Return the drafts on offer as of the opening, the server's answer or the last dismissal: those of others, newest
   * first, then those replaced here, so that repeated recalls reach all.
   */
  readonly listOffered = (): Draft[] => this.#offeredDrafts;

  /** Set the drafts that the server stores. */
  setServerDrafts(drafts: Draft[]): void {
    this.#serverDrafts = drafts;
    this.#publishOffered();
  }

  saveDraft(draft: Draft): void {
    this.#own.add(draft.visit);
    this.#slot.write(sortNewestFirst([...this.#drafts(), draft]).slice(0, MAX_DRAFTS));
    savePreferenceDebounced(
      'draft',
      this.#screen,
      this.#which,
      () => (parseDrafts(this.#slot.read()).length > 0 ? this.#drafts() : null),
      SERVER_DELAY,
    );
  }

  /** Dismiss a visit's draft: it was saved, recalled or discarded. */
  dismissDraft(visit: string): void {
    const before = this.#drafts();
    this.#dismissed.add(visit);
    const rest = this.#drafts();
    if (rest.length === before.length) return;
    this.#publishOffered();
    cancelPendingSave('draft', this.#screen, this.#which);
    if (rest.length > 0) {
      this.#slot.write(rest);
      savePreference('draft', this.#screen, this.#which, rest).catch(() => undefined);
    } else {
      this.#slot.remove();
      removePreference('draft', this.#screen, this.#which).catch(() => undefined);
    }
  }

  #drafts(): Draft[] {
    return sortNewestFirst([...parseDrafts(this.#slot.read()), ...this.#serverDrafts]).filter(
      ({ visit }) => !this.#dismissed.has(visit),
    );
  }

  #sortDrafts(drafts: Draft[]): Draft[] {
    const own = [...this.#own].flatMap((visit) => drafts.filter((draft) => draft.visit === visit));
    return [...drafts.filter(({ visit }) => !this.#own.has(visit)), ...own];
  }

  #publishOffered(): void {
    this.#offeredDrafts = this.#sortDrafts(this.#drafts());
    for (const listener of this.#listeners) listener();
  }
}
