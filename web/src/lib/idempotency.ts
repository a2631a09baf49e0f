import { digest, uuid } from './sign';

/**
 * Keys of writes. A key is stored before the request leaves, so that a retry after a lost answer, a reload or a second
 * click sends the same key and the server answers with the one effect. A definite answer settles it.
 */

interface StoredKey {
  key: string;
  digest: string;
}

function slot(scope: string): string {
  return `idempotency:${scope}`;
}

function read(scope: string): StoredKey | null {
  const stored = sessionStorage.getItem(slot(scope));
  return stored === null ? null : (JSON.parse(stored) as StoredKey);
}

/** The key of a write with this body; the same one until the write has been answered. */
export function idempotencyKey(scope: string, body: string): string {
  const bodyDigest = digest(body);
  const stored = read(scope);
  if (stored?.digest === bodyDigest) return stored.key;
  const key = uuid();
  sessionStorage.setItem(slot(scope), JSON.stringify({ key, digest: bodyDigest } satisfies StoredKey));
  return key;
}

export function settleKey(scope: string, key: string): void {
  if (read(scope)?.key === key) sessionStorage.removeItem(slot(scope));
}
