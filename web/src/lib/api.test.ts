import { createHash, createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api, ApiError, cancelPendingReads, getSession, onUnauthorized, setSession, type Session } from './api';
import { CancelledError, onReportedError, reportError, showMessage, type ReportedError } from './errors';

const session: Session = {
  token: 't0ken',
  sign_key: 'k3y',
  expires_at: '2026-12-31 00:00:00',
  user_id: 7,
  user_name: 'clerk',
  realname: '张三',
  role_id: 3,
  role_name: '开单员',
  company_id: 2,
  company_name: '华东公司',
  department_name: '销售部',
  company_admin_id: null,
  titName: '华东轮胎',
  area_name: null,
  scope: '',
  imitator: null,
  must_change_password: false,
  system: { type: 0, operatingVersion: 1, extendToolbar: '默认' },
};

type Call = { url: URL; init: RequestInit };

/** Answers each call by `answer`; records the calls. */
function server(answer: (call: Call) => unknown): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    const call = { url: new URL(path, 'http://erp.test'), init };
    calls.push(call);
    return new Promise((resolve, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      Promise.resolve(answer(call)).then((body) => resolve(Response.json(body)), reject);
    });
  });
  return calls;
}

const ok = (data: unknown = null) => ({ code: 200, msg: '成功', data });
const header = (call: Call | undefined, name: string) => new Headers(call?.init.headers).get(name);

beforeEach(() => setSession(session));
afterEach(() => {
  cancelPendingReads();
  localStorage.clear();
  sessionStorage.clear();
});

describe('signing', () => {
  it('signs method, path, sorted query and body hash as the server does', async () => {
    const calls = server(() => ok());
    await api.get('v2/sales/SalesOutstock/getList', {
      per_page: 30,
      keyword: "米其林 (205)'*!",
      empty: '',
      none: null,
    });
    const { url } = calls[0]!;
    expect([...url.searchParams.keys()].sort()).toEqual(['keyword', 'per_page', 'sign', 'timeStamp']);
    const keyword = encodeURIComponent("米其林 (205)'*!").replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
    const canonical = `keyword=${keyword}&per_page=30&timeStamp=${url.searchParams.get('timeStamp')}`;
    const empty = createHash('sha256').update('').digest('hex');
    const text = `GET\n/v2/sales/SalesOutstock/getList\n${canonical}\n${empty}`;
    expect(url.searchParams.get('sign')).toBe(createHmac('sha256', 'k3y').update(text).digest('hex'));
    expect(header(calls[0], 'token')).toBe('t0ken');
  });
  it('hashes the bytes of a Chinese body', async () => {
    const calls = server(() => ok());
    await api.post('/v2/sales/SalesOutstock/add', { remark: '加急' });
    const { url, init } = calls[0]!;
    const hash = createHash('sha256')
      .update(init.body as string)
      .digest('hex');
    const text = `POST\n/v2/sales/SalesOutstock/add\ntimeStamp=${url.searchParams.get('timeStamp')}\n${hash}`;
    expect(url.searchParams.get('sign')).toBe(createHmac('sha256', 'k3y').update(text).digest('hex'));
  });
  it('sends neither token nor sign before login', async () => {
    setSession(null);
    const calls = server(() => ok());
    await api.post('v2/user/Login/login', { user_name: 'a', password: 'b' });
    expect(calls[0]?.url.search).toBe('');
    expect(header(calls[0], 'token')).toBeNull();
  });
});

describe('idempotency key', () => {
  const keys = (calls: Call[]) => calls.map((c) => header(c, 'Idempotency-Key'));
  it('is stored before the request leaves', async () => {
    let stored = '';
    const calls = server(() => {
      stored = sessionStorage.getItem('idempotency:p/add') ?? '';
      return ok();
    });
    await api.post('p/add', { a: 1 });
    expect(stored).toContain(header(calls[0], 'Idempotency-Key'));
    expect(sessionStorage.getItem('idempotency:p/add')).toBeNull();
  });
  it('is the same for a second click and for a retry after a lost answer', async () => {
    const calls = server(() => Promise.reject(new TypeError('connection reset')));
    await Promise.allSettled([api.post('p/add', { a: 1 }), api.post('p/add', { a: 1 })]);
    await api.post('p/add', { a: 1 }).catch(() => null);
    expect(new Set(keys(calls)).size).toBe(1);
  });
  it('is new after a definite answer and for another body', async () => {
    const calls = server(() => ({ code: 400, msg: '库存不足', data: null }));
    await api.post('p/add', { a: 1 }).catch(() => null);
    await api.post('p/add', { a: 1 }).catch(() => null);
    await api.post('p/add', { a: 2 }).catch(() => null);
    expect(new Set(keys(calls)).size).toBe(3);
  });
  it('survives a server error whose effect is unknown', async () => {
    const calls = server(() => ({ code: 500, msg: '', data: null }));
    await api.post('p/add', { a: 1 }).catch(() => null);
    await api.post('p/add', { a: 1 }).catch(() => null);
    expect(new Set(keys(calls)).size).toBe(1);
  });
});

describe('a machine whose clock was set wrong after the login', () => {
  const window = 5 * 60_000;
  const right = Date.parse('2026-11-21T09:30:00.000+08:00');

  /** Refuses as expired what is not signed by its clock, which every answer tells. */
  function strictServer(right: number): Call[] {
    const calls: Call[] = [];
    vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
      const call = { url: new URL(path, 'http://erp.test'), init };
      calls.push(call);
      const late = Math.abs(right - Number(call.url.searchParams.get('timeStamp'))) > window;
      const told = new Date(right + 8 * 3_600_000).toISOString().replace('Z', '+08:00');
      const body = late ? { code: 402, msg: '请求已过期，请校准本机时间后重试', data: null } : ok('done');
      return Promise.resolve(Response.json(body, { headers: { 'Business-Time': told } }));
    });
    return calls;
  }
  const wrong = [-365 * 86_400_000, 40 * 86_400_000, -6 * 60_000];
  beforeEach(() => void vi.useFakeTimers({ now: right }));
  afterEach(() => void vi.useRealTimers());

  it.each(wrong)('by %i ms: the first read is asked again, by the clock that the refusal told', async (off) => {
    vi.setSystemTime(right + off);
    const calls = strictServer(right);
    await expect(api.get('a/getList', { page: 1 })).resolves.toBe('done');
    expect(calls.map(({ url }) => Number(url.searchParams.get('timeStamp')))).toEqual([right + off, right]);
    await api.get('a/getList', { page: 2 });
    expect(calls).toHaveLength(3);
    await putClockRight();
  });
  it('a write goes out again with its key and its body, and an upload with its files', async () => {
    vi.setSystemTime(right - 86_400_000);
    const calls = strictServer(right);
    await expect(api.post('p/add', { a: 1 })).resolves.toBe('done');
    expect(calls).toHaveLength(2);
    expect(header(calls[1], 'Idempotency-Key')).toBe(header(calls[0], 'Idempotency-Key'));
    expect(calls[1]?.init.body).toBe('{"a":1}');
    vi.setSystemTime(right + 86_400_000);
    const form = new FormData();
    await expect(api.upload('p/upload', form)).resolves.toBe('done');
    expect(calls.slice(2).map(({ init }) => init.body)).toEqual([form, form]);
    await putClockRight();
  });
  it('a file that is read is asked for again too', async () => {
    vi.setSystemTime(right - 86_400_000);
    const calls = strictServer(right);
    await api.download('p/print', {}, { ids: [1] }).catch(() => null);
    expect(calls.map(({ init }) => init.body)).toEqual(['{"ids":[1]}', '{"ids":[1]}']);
    await putClockRight();
  });
  it('once: a second refusal is told, and one that is no matter of time is not asked again', async () => {
    vi.setSystemTime(right - 86_400_000);
    const calls = server(() => ({ code: 402, msg: '请求签名无效', data: null }));
    await expect(api.get('a')).rejects.toMatchObject({ code: 402 });
    expect(calls).toHaveLength(1);
    let clock = right;
    let asked = 0;
    vi.stubGlobal('fetch', () => {
      asked += 1;
      const told = new Date((clock += 86_400_000)).toISOString().replace('Z', '+00:00');
      return Promise.resolve(
        Response.json({ code: 402, msg: '过期', data: null }, { headers: { 'Business-Time': told } }),
      );
    });
    await expect(api.get('b')).rejects.toMatchObject({ code: 402, msg: '过期' });
    expect(asked).toBe(2);
    await putClockRight();
  });
  async function putClockRight(): Promise<void> {
    vi.setSystemTime(right);
    strictServer(right);
    await api.get('clock');
  }
});

describe('cancellation', () => {
  it('gives up the earlier of two reads of one address', async () => {
    let count = 0;
    server(() => (count++ === 0 ? new Promise(() => undefined) : ok('new')));
    const first = api.get('a/getList', { page: 1 });
    const second = api.get('a/getList', { page: 1 });
    await expect(first).rejects.toBeInstanceOf(CancelledError);
    await expect(second).resolves.toBe('new');
  });
  it('lets reads of different queries be', async () => {
    server(({ url }) => ok(url.searchParams.get('page')));
    await expect(Promise.all([api.get('a/getList', { page: 1 }), api.get('a/getList', { page: 2 })])).resolves.toEqual([
      '1',
      '2',
    ]);
  });
  // docs/specification.md#27、docs/specification.md#168、docs/specification.md#169
  it('cancelAll gives up reads with its reason, and leaves writes alone', async () => {
    let finish: (body: unknown) => void = () => undefined;
    server(({ init }) => new Promise((resolve) => init.method === 'POST' && (finish = resolve)));
    const read = api.get('a/getList');
    const write = api.post('a/add');
    cancelPendingReads();
    await expect(read).rejects.toMatchObject({ code: 404, msg: '路由跳转取消请求' });
    finish(ok('written'));
    await expect(write).resolves.toBe('written');
  });
  it('cancelAll leaves alone what is told to the server', async () => {
    let finish: (body: unknown) => void = () => undefined;
    server(() => new Promise((resolve) => (finish = resolve)));
    const told = api.get('a/visit', { code: 'x' }, { survivesNavigation: true });
    cancelPendingReads();
    finish(ok('told'));
    await expect(told).resolves.toBe('told');
  });
});

describe('answers', () => {
  it.each([400, 402, 403, 362, 363])('%i rejects with the words of the server', async (code) => {
    server(() => ({ code, msg: '原因', data: { x: 1 } }));
    await expect(api.get('a')).rejects.toEqual(new ApiError(code, '原因', { x: 1 }));
  });
  it('tells the shell of 401 and 503', async () => {
    const codes: number[] = [];
    const off = onUnauthorized((error) => codes.push(error.code));
    for (const code of [401, 503, 400]) {
      server(() => ({ code, msg: '', data: null }));
      await api.get('a').catch(() => null);
    }
    off();
    expect(codes).toEqual([401, 503]);
  });
  it('tells nothing of a 401 to an earlier login', async () => {
    const codes: number[] = [];
    const off = onUnauthorized((error) => codes.push(error.code));
    server(() => {
      setSession({ ...session, token: 'next' });
      return { code: 401, msg: '登录已失效', data: null };
    });
    await expect(api.get('a')).rejects.toMatchObject({ code: 401 });
    off();
    expect(codes).toEqual([]);
  });
  it('a page that is no envelope is an error in Chinese', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('<html>', { status: 502 })));
    await expect(api.get('a')).rejects.toMatchObject({ code: 502, msg: '服务器暂时无法处理请求，请稍后重试' });
  });
  it('a lost network says 网络错误 for five seconds', async () => {
    const seen: ReportedError[] = [];
    const off = onReportedError((e) => seen.push(e));
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed')));
    await api.get('a').catch(reportError);
    off();
    expect(seen).toEqual([{ level: 'error', msg: '网络错误', failures: [], seconds: 5 }]);
  });
});

describe('reportError', () => {
  let moment = Date.now();
  beforeEach(() => void vi.useFakeTimers({ now: (moment += 60_000) }));
  afterEach(() => void vi.useRealTimers());
  const record = (act: () => void): ReportedError[] => {
    const seen: ReportedError[] = [];
    const off = onReportedError((e) => seen.push(e));
    act();
    off();
    return seen;
  };
  it('is silent for cancelled requests', () => {
    expect(record(() => reportError(new CancelledError('取消')))).toEqual([]);
  });
  it('tells an answer 404: only what we gave up ourselves is silent', () => {
    expect(record(() => reportError(new ApiError(404, '单据不存在')))[0]?.msg).toBe('单据不存在');
  });
  it('carries the failure table of an answer', () => {
    const failures = [{ index: 1, serial: 'XSCK1', msg: '库存不足' }];
    expect(record(() => reportError(new ApiError(400, '部分失败', { failures })))[0]?.failures).toEqual(failures);
  });
  it('says the same thing once a second', () => {
    expect(record(() => [1, 2, 3].forEach(() => showMessage('warning', '请选择商品')))).toHaveLength(1);
  });
  // docs/specification.md#263
  it('3-rules 9: warning-message helper throttles at 1000 ms; none is lost', () => {
    const seen: string[] = [];
    const off = onReportedError(({ msg }) => seen.push(msg));
    for (const msg of ['数量', '单价', '金额']) showMessage('warning', msg);
    showMessage('error', '网络错误');
    expect(seen).toEqual(['数量', '网络错误']);
    vi.advanceTimersByTime(999);
    expect(seen).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(seen.at(-1)).toBe('单价');
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual(['数量', '网络错误', '单价', '金额']);
    off();
  });
});

describe('session', () => {
  it('is kept in localStorage and cleared whole', () => {
    expect(getSession()).toEqual(session);
    setSession(null);
    expect(getSession()).toBeNull();
    expect(localStorage.length).toBe(0);
  });
});
