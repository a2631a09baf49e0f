import { forgetLater, removePreference, savePreference, savePreferenceLater } from '../../lib/preferences';
import { storedSlot, type StoredSlot } from '../../lib/stored';
import type { Row } from '../types';

/** A form as it stood at a time. */
export interface Draft {
  /** Who wrote it: one form, from when it was opened or recalled until it is left. */
  visit: string;
  at: string;
  values: Row;
}

const TO_SERVER = 3000;
/** Older ones give way: a browser keeps five megabytes. */
const MOST = 5;

/** A single draft was once kept without a list around it. */
export function draftsIn(kept: unknown): Draft[] {
  return [kept ?? []].flat() as Draft[];
}

function newestFirst(drafts: Draft[]): Draft[] {
  const older = drafts.toSorted((a, b) => a.at.localeCompare(b.at));
  return [...new Map(older.map((draft) => [draft.visit, draft])).values()].sort((a, b) => b.at.localeCompare(a.at));
}

/**
 * The unsaved drafts of one form. A visit writes its own and leaves the others until each is answered: what an earlier one
 * left, and what another window writes. This browser's copy is written first, the server's follows, so that a form can be
 * gone on with elsewhere.
 */
export class DraftShelf {
  readonly #slot: StoredSlot;
  readonly #screen: string;
  readonly #which: string;
  readonly #answered = new Set<string>();
  readonly #own = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #elsewhere: Draft[] = [];
  #offered: Draft[] = [];

  constructor(screen: string, which: string) {
    this.#slot = storedSlot(`draft:${screen}:${which}`);
    this.#screen = screen;
    this.#which = which;
    this.#offer();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * As of when it was opened, found elsewhere or answered last: what others left, newest first, then what was replaced here,
   * so that one recall after the other reaches all.
   */
  readonly offered = (): Draft[] => this.#offered;

  /** What the server has of it. */
  found(drafts: Draft[]): void {
    this.#elsewhere = drafts;
    this.#offer();
  }

  keep(draft: Draft): void {
    this.#own.add(draft.visit);
    this.#slot.write(newestFirst([...this.#drafts(), draft]).slice(0, MOST));
    savePreferenceLater('draft', this.#screen, this.#which, () => (draftsIn(this.#slot.read()).length > 0 ? this.#drafts() : null), TO_SERVER);
  }

  /** It has been saved, recalled or discarded. */
  answer(visit: string): void {
    const before = this.#drafts();
    this.#answered.add(visit);
    const rest = this.#drafts();
    if (rest.length === before.length) return;
    this.#offer();
    forgetLater('draft', this.#screen, this.#which);
    if (rest.length > 0) {
      this.#slot.write(rest);
      savePreference('draft', this.#screen, this.#which, rest).catch(() => undefined);
    } else {
      this.#slot.remove();
      removePreference('draft', this.#screen, this.#which).catch(() => undefined);
    }
  }

  #drafts(): Draft[] {
    return newestFirst([...draftsIn(this.#slot.read()), ...this.#elsewhere]).filter(({ visit }) => !this.#answered.has(visit));
  }

  #inTurn(drafts: Draft[]): Draft[] {
    const own = [...this.#own].flatMap((visit) => drafts.filter((draft) => draft.visit === visit));
    return [...drafts.filter(({ visit }) => !this.#own.has(visit)), ...own];
  }

  #offer(): void {
    this.#offered = this.#inTurn(this.#drafts());
    for (const listener of this.#listeners) listener();
  }
}
