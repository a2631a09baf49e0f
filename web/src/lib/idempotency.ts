import { sha256Hex, uuid } from './sign';

/**
 * Keys of writes. A key is stored before the request leaves, so that a retry after a lost answer, a reload or a second
 * click sends the same key and the server answers with the one effect. A definite answer settles it.
 */

interface StoredKey {
  key: string;
  digest: string;
}

function storageKey(scope: string): string {
  return `idempotency:${scope}`;
}

function readStoredKey(scope: string): StoredKey | null {
  const stored = sessionStorage.getItem(storageKey(scope));
  return stored === null ? null : (JSON.parse(stored) as StoredKey);
}

/** The key of a write with this body; the same one until the write has been answered. */
export function getIdempotencyKey(scope: string, body: string): string {
  const bodyDigest = sha256Hex(body);
  const stored = readStoredKey(scope);
  if (stored?.digest === bodyDigest) return stored.key;
  const key = uuid();
  sessionStorage.setItem(storageKey(scope), JSON.stringify({ key, digest: bodyDigest } satisfies StoredKey));
  return key;
}

export function releaseKey(scope: string, key: string): void {
  if (readStoredKey(scope)?.key === key) sessionStorage.removeItem(storageKey(scope));
}
