import { BUSINESS_TIME, machineTime, serverTime, syncClock } from './businessClock';
import { ApiError, CancelledError, isCancelled, NETWORK } from './errors';
import { getIdempotencyKey, releaseKey } from './idempotency';
import { getSession } from './session';
import { canonicalQuery, queryPairs, signRequest, type Query } from './sign';

export { ApiError } from './errors';
export { getSession, setSession, type Session } from './session';
export type { Query } from './sign';

/**
 * The client of the server: token header, signature, envelope, cancellation. Successful calls resolve with `data`;
 * everything else rejects with an ApiError.
 */

interface Envelope {
  code: number;
  msg: string;
  data: unknown;
}

interface GetOptions {
  signal?: AbortSignal;
  /** Survives leaving the page: a notification rather than a read. */
  survivesNavigation?: boolean;
}

interface PostOptions {
  /** Key of the caller's own; otherwise one is made, stored and released here. */
  idempotencyKey?: string;
  query?: Query;
}

const SUCCESS = 200;
const BAD_SIGNATURE = 402;
/** Signatures are valid for five minutes, by the server's clock; in half of that none has expired. */
const MIN_SIGNATURE_LIFETIME = 150_000;
/** Reads in flight by address: a newer one takes the place of the older. Writes are never given up half-way. */
const pendingReads = new Map<string, AbortController>();
const unauthorizedListeners = new Set<(error: ApiError) => void>();

/** Called when the server ends the login (401), or is down for maintenance and logs everybody out (503). */
export function onUnauthorized(callback: (error: ApiError) => void): () => void {
  unauthorizedListeners.add(callback);
  return () => unauthorizedListeners.delete(callback);
}

/** Gives up all reads in flight; the shell calls it on a route change. */
export function cancelPendingReads(reason = '路由跳转取消请求'): void {
  for (const controller of pendingReads.values()) controller.abort(createCancellation(reason));
  pendingReads.clear();
}

function createCancellation(reason: string): ApiError {
  return new CancelledError(reason);
}

export const api = {
  async get<T>(path: string, query: Query = {}, options: GetOptions = {}): Promise<T> {
    const pairs = queryPairs(query);
    if (options.survivesNavigation) return (await sendRequest('GET', path, pairs, '', { keepalive: true })).data as T;
    const address = `${path}?${canonicalQuery(pairs)}`;
    pendingReads.get(address)?.abort(createCancellation('重复请求取消'));
    const controller = new AbortController();
    pendingReads.set(address, controller);
    const forward = () => controller.abort(options.signal?.reason ?? createCancellation('取消请求'));
    options.signal?.addEventListener('abort', forward, { once: true });
    if (options.signal?.aborted) forward();
    try {
      return (await sendRequest('GET', path, pairs, '', { signal: controller.signal })).data as T;
    } finally {
      options.signal?.removeEventListener('abort', forward);
      if (pendingReads.get(address) === controller) pendingReads.delete(address);
    }
  },

  async post<T>(path: string, body: unknown = {}, options: PostOptions = {}): Promise<T> {
    return (await postSigned(path, body, options)).data as T;
  },

  /** What the server says of a write that succeeded. */
  async postForMessage(path: string, body: unknown = {}): Promise<string> {
    return (await postSigned(path, body)).msg;
  },

  async upload<T>(path: string, form: FormData, query: Query = {}): Promise<T> {
    return (await sendRequest('POST', path, queryPairs(query), '', { body: form })).data as T;
  },

  /** A file, asked for with a body where a query would be too long; a refusal comes as an envelope all the same. */
  async download(path: string, query: Query = {}, body?: unknown): Promise<Blob> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const init = body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: text };
    const { response, token } = await fetchSigned(
      body === undefined ? 'GET' : 'POST',
      path,
      queryPairs(query),
      text,
      init,
    );
    const refused = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
    if (refused || !response.ok) unwrapEnvelope(await parseEnvelope(response), token);
    return response.blob();
  },
};

async function postSigned(path: string, body: unknown, options: PostOptions = {}): Promise<Envelope> {
  const text = JSON.stringify(body);
  const key = options.idempotencyKey ?? getIdempotencyKey(path, text + canonicalQuery(queryPairs(options.query ?? {})));
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  try {
    const pairs = queryPairs(options.query ?? {});
    const answer = await sendRequest('POST', path, pairs, text, { headers, body: text });
    releaseKey(path, key);
    return answer;
  } catch (error) {
    if (error instanceof ApiError && isDefiniteRefusal(error)) releaseKey(path, key);
    throw error;
  }
}

/** After these the server has certainly done nothing, so that a retry is a new command. */
function isDefiniteRefusal(error: ApiError): boolean {
  return error.code !== NETWORK && !isCancelled(error) && error.code < 500;
}

async function sendRequest(...request: Parameters<typeof fetchSigned>): Promise<Envelope> {
  const { response, token } = await fetchSigned(...request);
  return unwrapEnvelope(await parseEnvelope(response), token);
}

interface SignedResponse {
  response: Response;
  token: string | undefined;
  /** Time at which the request was signed, by the server's clock as known then. */
  signedAt: number;
}

/** Sign and send a request, and once more by the server's clock if this machine's wrong clock made it expired. */
async function fetchSigned(...request: Parameters<typeof fetchSignedOnce>): Promise<SignedResponse> {
  const answer = await fetchSignedOnce(...request);
  return (await isSignatureExpired(answer)) ? fetchSignedOnce(...request) : answer;
}

async function isSignatureExpired({ response, token, signedAt: stamp }: SignedResponse): Promise<boolean> {
  if (!token || Math.abs(serverTime() - stamp) < MIN_SIGNATURE_LIFETIME) return false;
  if (!response.headers.get('Content-Type')?.startsWith('application/json')) return false;
  return (await parseEnvelope(response.clone())).code === BAD_SIGNATURE;
}

async function fetchSignedOnce(
  method: 'GET' | 'POST',
  path: string,
  pairs: [string, string][],
  signedBody: string,
  init: RequestInit,
): Promise<SignedResponse> {
  const absolute = path.startsWith('/') ? path : `/${path}`;
  const session = getSession();
  const query = [...pairs];
  let search = canonicalQuery(query);
  const headers = new Headers(init.headers);
  headers.set('Accept', 'application/json');
  const stamp = serverTime();
  if (session) {
    headers.set('token', session.token);
    query.push(['timeStamp', String(stamp)]);
    const canonical = canonicalQuery(query);
    search = `${canonical}&sign=${signRequest(session.sign_key, method, absolute, canonical, signedBody)}`;
  }
  const sentAt = machineTime();
  const response = await fetchResponse(search ? `${absolute}?${search}` : absolute, { ...init, method, headers });
  syncClock(response.headers.get(BUSINESS_TIME), sentAt);
  return { response, token: session?.token, signedAt: stamp };
}

async function fetchResponse(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw toApiError(error, init.signal);
  }
}

function toApiError(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason instanceof ApiError ? signal.reason : createCancellation('取消请求');
  return error instanceof ApiError ? error : new ApiError(NETWORK, '网络错误');
}

async function parseEnvelope(response: Response): Promise<Envelope> {
  try {
    const parsed = (await response.json()) as Partial<Envelope>;
    if (typeof parsed.code === 'number') return { code: parsed.code, msg: parsed.msg ?? '', data: parsed.data ?? null };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw createCancellation('取消请求');
    if (error instanceof ApiError) throw error;
  }
  return { code: response.ok ? 500 : response.status, msg: '服务器暂时无法处理请求，请稍后重试', data: null };
}

/** A late 401 to the login before this one says nothing about this one. */
function unwrapEnvelope(envelope: Envelope, token: string | undefined): Envelope {
  if (envelope.code === SUCCESS) return envelope;
  const error = new ApiError(envelope.code, envelope.msg, envelope.data);
  const endsLogin = (envelope.code === 401 || envelope.code === 503) && token === getSession()?.token;
  if (endsLogin) for (const listener of unauthorizedListeners) listener(error);
  throw error;
}
