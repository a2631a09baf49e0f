import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * Request signing. Not WebCrypto: `crypto.subtle` is missing on plain http outside localhost, which is how a branch
 * reaches a server in its own network.
 */

export type Query = Record<string, string | number | boolean | null | undefined>;

export function queryPairs(query: Query): [string, string][] {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([key, value]) => [key, String(value)]);
}

/** RFC 3986 `k=v` pairs sorted by key, then value. */
export function canonicalQuery(pairs: [string, string][]): string {
  return [...pairs]
    .sort(([ka, va], [kb, vb]) => compareText(ka, kb) || compareText(va, vb))
    .map(([key, value]) => `${encodeRfc3986(key)}=${encodeRfc3986(value)}`)
    .join('&');
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Hex HMAC-SHA256 over method, path, canonical query and body hash; a multipart body counts as empty. */
export function signRequest(key: string, method: string, path: string, canonical: string, body: string): string {
  const text = `${method}\n${path}\n${canonical}\n${sha256Hex(body)}`;
  return bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(text)));
}

export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** Random uuid; `crypto.randomUUID` too is missing on plain http. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytesToHex(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
