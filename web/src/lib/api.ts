import { BUSINESS_TIME, machineTime, serverTime, setClock } from './businessClock';
import { ApiError, Cancelled, isCancelled, NETWORK } from './errors';
import { idempotencyKey, settleKey } from './idempotency';
import { getSession } from './session';
import { canonicalQuery, queryPairs, sign, type Query } from './sign';

export { ApiError } from './errors';
export { getSession, setSession, type Session } from './session';
export type { Query } from './sign';

/**
 * The one door to the server: token header, signature, envelope, cancellation. Answers resolve with `data`;
 * everything else rejects with an ApiError.
 */

interface Envelope {
  code: number;
  msg: string;
  data: unknown;
}

interface GetOptions {
  signal?: AbortSignal;
  /** Told to the server rather than asked: it goes on when the page is left. */
  lasting?: boolean;
}

interface PostOptions {
  /** For a caller with a key of its own; otherwise one is made, stored and settled here. */
  idempotencyKey?: string;
  query?: Query;
}

const SUCCESS = 200;
const BAD_SIGNATURE = 402;
/** Signatures are valid for five minutes, by the server's clock; in half of that none has expired. */
const CERTAINLY_VALID = 150_000;
/** Reads in flight by address: a newer one takes the place of the older. Writes are never given up half-way. */
const reads = new Map<string, AbortController>();
const unauthorizedListeners = new Set<(error: ApiError) => void>();

/** Called when the server ends the login (401), or is down for maintenance and logs everybody out (503). */
export function onUnauthorized(callback: (error: ApiError) => void): () => void {
  unauthorizedListeners.add(callback);
  return () => unauthorizedListeners.delete(callback);
}

/** Gives up all reads in flight; the shell calls it on a route change. */
export function cancelAll(reason = '路由跳转取消请求'): void {
  for (const controller of reads.values()) controller.abort(cancelled(reason));
  reads.clear();
}

function cancelled(reason: string): ApiError {
  return new Cancelled(reason);
}

export const api = {
  async get<T>(path: string, query: Query = {}, options: GetOptions = {}): Promise<T> {
    const pairs = queryPairs(query);
    if (options.lasting) return (await send('GET', path, pairs, '', { keepalive: true })).data as T;
    const address = `${path}?${canonicalQuery(pairs)}`;
    reads.get(address)?.abort(cancelled('重复请求取消'));
    const controller = new AbortController();
    reads.set(address, controller);
    const forward = () => controller.abort(options.signal?.reason ?? cancelled('取消请求'));
    options.signal?.addEventListener('abort', forward, { once: true });
    if (options.signal?.aborted) forward();
    try {
      return (await send('GET', path, pairs, '', { signal: controller.signal })).data as T;
    } finally {
      options.signal?.removeEventListener('abort', forward);
      if (reads.get(address) === controller) reads.delete(address);
    }
  },

  async post<T>(path: string, body: unknown = {}, options: PostOptions = {}): Promise<T> {
    return (await write(path, body, options)).data as T;
  },

  /** What the server says of a write that succeeded. */
  async tell(path: string, body: unknown = {}): Promise<string> {
    return (await write(path, body)).msg;
  },

  async upload<T>(path: string, form: FormData, query: Query = {}): Promise<T> {
    return (await send('POST', path, queryPairs(query), '', { body: form })).data as T;
  },

  /** A file, asked for with a body where a query would be too long; a refusal comes as an envelope all the same. */
  async download(path: string, query: Query = {}, body?: unknown): Promise<Blob> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const init = body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: text };
    const { response, token } = await ask(body === undefined ? 'GET' : 'POST', path, queryPairs(query), text, init);
    const refused = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
    if (refused || !response.ok) unwrap(await envelopeOf(response), token);
    return response.blob();
  },
};

async function write(path: string, body: unknown, options: PostOptions = {}): Promise<Envelope> {
  const text = JSON.stringify(body);
  const key = options.idempotencyKey ?? idempotencyKey(path, text + canonicalQuery(queryPairs(options.query ?? {})));
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  try {
    const pairs = queryPairs(options.query ?? {});
    const answer = await send('POST', path, pairs, text, { headers, body: text });
    settleKey(path, key);
    return answer;
  } catch (error) {
    if (error instanceof ApiError && isDefinite(error)) settleKey(path, key);
    throw error;
  }
}

/** After these the server has certainly done nothing, so that a retry is a new command. */
function isDefinite(error: ApiError): boolean {
  return error.code !== NETWORK && !isCancelled(error) && error.code < 500;
}

async function send(...request: Parameters<typeof ask>): Promise<Envelope> {
  const { response, token } = await ask(...request);
  return unwrap(await envelopeOf(response), token);
}

interface Answer {
  response: Response;
  token: string | undefined;
  /** What the request was signed with, by the server's clock as it was known then. */
  stamp: number;
}

/** A request that this machine's wrong clock made expired is signed anew, once, by the clock that the refusal told. */
async function ask(...request: Parameters<typeof askOnce>): Promise<Answer> {
  const answer = await askOnce(...request);
  return (await isExpired(answer)) ? askOnce(...request) : answer;
}

async function isExpired({ response, token, stamp }: Answer): Promise<boolean> {
  if (!token || Math.abs(serverTime() - stamp) < CERTAINLY_VALID) return false;
  if (!response.headers.get('Content-Type')?.startsWith('application/json')) return false;
  return (await envelopeOf(response.clone())).code === BAD_SIGNATURE;
}

async function askOnce(
  method: 'GET' | 'POST',
  path: string,
  pairs: [string, string][],
  signedBody: string,
  init: RequestInit,
): Promise<Answer> {
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
    search = `${canonical}&sign=${sign(session.sign_key, method, absolute, canonical, signedBody)}`;
  }
  const asked = machineTime();
  const response = await answerTo(search ? `${absolute}?${search}` : absolute, { ...init, method, headers });
  setClock(response.headers.get(BUSINESS_TIME), asked);
  return { response, token: session?.token, stamp };
}

async function answerTo(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw failureOf(error, init.signal);
  }
}

function failureOf(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason instanceof ApiError ? signal.reason : cancelled('取消请求');
  return error instanceof ApiError ? error : new ApiError(NETWORK, '网络错误');
}

async function envelopeOf(response: Response): Promise<Envelope> {
  try {
    const parsed = (await response.json()) as Partial<Envelope>;
    if (typeof parsed.code === 'number') return { code: parsed.code, msg: parsed.msg ?? '', data: parsed.data ?? null };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw cancelled('取消请求');
    if (error instanceof ApiError) throw error;
  }
  return { code: response.ok ? 500 : response.status, msg: '服务器暂时无法处理请求，请稍后重试', data: null };
}

/** A late 401 to the login before this one says nothing about this one. */
function unwrap(envelope: Envelope, token: string | undefined): Envelope {
  if (envelope.code === SUCCESS) return envelope;
  const error = new ApiError(envelope.code, envelope.msg, envelope.data);
  const endsLogin = (envelope.code === 401 || envelope.code === 503) && token === getSession()?.token;
  if (endsLogin) for (const listener of unauthorizedListeners) listener(error);
  throw error;
}
