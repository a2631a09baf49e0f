import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import DetailPage from '../detail/DetailPage';
import { buildBillScreen, buildField, buildRefField } from '../fixtures';
import FormPage from '../form/FormPage';
import { stubElementSizes, okAnswer, pressButton, renderPage, type FakeRoutes } from '../harness';
import type { Field, Row, Screen } from '../types';
import { REGION_TREE } from './fixtures';

vi.mock('@/lib/china/ChinaMap', () => ({ default: () => null }));

const api = 'v2/custom/Customer';
const regions = [
  buildRefField('province_id', '省', 'province', 'province_name'),
  buildRefField('city_id', '市', 'city', 'city_name', { ref: { filter_by: ['province_id'] } as Field['ref'] & object }),
  buildRefField('area_id', '区县', 'area', 'area_name', { ref: { filter_by: ['city_id'] } as Field['ref'] & object }),
];
const address = buildField({ name: 'address', label: '地址', type: 'textarea', place: true, max_length: 200 });
const screenOf = (fields: Field[], kind: Screen['kind'] = 'add') =>
  buildBillScreen({
    ...{
      name: 'customer',
      label: '客户',
      family: 'resource',
      kind,
      api,
      key: 'customer_id',
      title_field: 'customer_name',
    },
    ...{
      fields: [buildField({ name: 'customer_name', label: '客户名称' }), ...fields],
      line: null,
      blocks: [],
      status_field: null,
      pricing: null,
    },
  });
const spot = {
  name: '创业中心',
  address: '文三路199号',
  province: '浙江省',
  city: '杭州市',
  district: '西湖区',
  longitude: 120.13,
  latitude: 30.27,
};
const unserved: FakeRoutes = {
  'v2/open/Map/getPage': () => ({ code: 400, msg: '没有配置地图服务' }),
  'v2/open/Map/getRegions': () => okAnswer(REGION_TREE),
  [`${api}/add`]: () => okAnswer({ id: 5 }),
};

let view: ReturnType<typeof renderPage>;
beforeEach(stubElementSizes);
afterEach(() => {
  view.done();
  vi.useRealTimers();
});

const open = async (fields: Field[], given: Record<string, string> = {}, served = false) => {
  view = renderPage(
    <FormPage screen={screenOf(fields)} id={null} copyOf={null} from={null} presetValues={given} />,
    unserved,
  );
  if (served) serve();
  await pressButton('地图');
};
/** The provider's page is a file, which the harness's server gives none of. */
const serve = () => {
  const usual = globalThis.fetch;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
    url.includes('Map/getPage')
      ? Promise.resolve(new Response('<p>map</p>', { headers: { 'Content-Type': 'text/html' } }))
      : usual(url, init),
  );
};
const frameOf = () =>
  waitFor(() => {
    const frame = document.querySelector<HTMLIFrameElement>('iframe[title=地图]');
    if (!frame?.contentWindow) throw new Error('no frame');
    return frame;
  });
const from = (source: Window | null, data: unknown) =>
  act(async () => void window.dispatchEvent(new MessageEvent('message', { data, source })));
const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const region = (label: string) => screen.getByLabelText(label).closest('.header-control')?.textContent ?? '';
const fill = () => pressButton('填入');
const saved = async () => {
  fireEvent.keyDown(window, { key: 's', ctrlKey: true });
  await waitFor(() => expect(view.calls.some(({ path }) => path === `${api}/add`)).toBe(true));
  return view.calls.find(({ path }) => path === `${api}/add`)?.body as Row;
};

describe('without a map service', () => {
  it('a district found by initials fills in the regions, marked, and leaves the street', async () => {
    await open([...regions, address], { address: '文一路1号' });
    expect(await screen.findByText('没有配置地图服务，可在自己的地区资料里选到区县')).toBeTruthy();
    fireEvent.change(await screen.findByLabelText('查找地区'), { target: { value: 'xhq' } });
    await pressButton('浙江省杭州市西湖区');
    await fill();
    await waitFor(() => expect(screen.getAllByText('地图所选', { selector: '.field-hint' })).toHaveLength(3));
    expect(value('地址')).toBe('文一路1号');
    const { province_id, city_id, area_id } = await saved();
    expect([province_id, city_id, area_id]).toEqual([11, 110, 1101]);
  });

  it.each([
    ['several that are called alike', '朝阳', '有多个地区符合“朝阳”，没有选上', '还没有选'],
    ['several that are called the same', '朝阳区', '有多个地区符合“朝阳区”，没有选上', '还没有选'],
    ['the only one', '义乌', undefined, '浙江省金华市义乌市'],
    ['the one that is called so', '朝阳市', undefined, '辽宁省朝阳市'],
  ])('Enter on words that fit %s', async (_, words, told, chosen) => {
    await open([...regions, address]);
    const box = await screen.findByLabelText('查找地区');
    fireEvent.change(box, { target: { value: words } });
    fireEvent.keyDown(box, { key: 'Enter', code: 'Enter', keyCode: 13 });
    await waitFor(() =>
      expect([document.querySelector('.map-chosen')?.textContent?.trim(), view.told.at(-1)?.msg]).toEqual([
        chosen,
        told,
      ]),
    );
    if (told) expect(document.querySelectorAll('.map-list button').length).toBeGreaterThan(1);
  });

  it('is gone through level by level; a municipality has no cities to choose from', async () => {
    await open([...regions, address]);
    await pressButton('浙江省');
    await pressButton('金华市');
    await pressButton('义乌市');
    expect(screen.getByText('浙江省金华市义乌市', { exact: false })).toBeTruthy();
    await pressButton('全国');
    await pressButton('上海市');
    await pressButton('闵行区');
    await fill();
    const { province_id, city_id, area_id } = await saved();
    expect([province_id, city_id, area_id]).toEqual([9, 90, 901]);
  });

  it('an address without fields for its region begins with it, once', async () => {
    await open([address], { address: '文一路1号' });
    await pressButton('浙江省');
    await pressButton('杭州市');
    await pressButton('西湖区');
    await fill();
    expect(value('地址')).toBe('浙江省杭州市西湖区文一路1号');
    await pressButton('地图');
    fireEvent.change(await screen.findByLabelText('查找地区'), { target: { value: '西湖' } });
    await pressButton('浙江省杭州市西湖区');
    await fill();
    expect(value('地址')).toBe('浙江省杭州市西湖区文一路1号');
  });
});

describe('with a map service', () => {
  it('nothing is asked of it before the dialog is opened, and it runs without an origin', async () => {
    view = renderPage(<FormPage screen={screenOf([address])} id={null} copyOf={null} from={null} />, unserved);
    await screen.findByText('地图');
    expect(view.calls.filter(({ path }) => path.includes('/Map/'))).toEqual([]);
    serve();
    await pressButton('地图');
    const frame = await frameOf();
    const written = vi.spyOn(frame.contentWindow as Window, 'postMessage').mockImplementation(() => undefined);
    await from(frame.contentWindow, 'lone:ready');
    expect(written.mock.calls).toEqual([['<p>map</p>', '*']]);
    expect([frame.getAttribute('sandbox'), frame.getAttribute('srcdoc')]).toEqual(['allow-scripts', null]);
  });

  it('a picked place fills in regions and street', async () => {
    await open([...regions, address], { address: '旧地址' }, true);
    const frame = await frameOf();
    await from(frame.contentWindow, { kind: 'ready' });
    await from(frame.contentWindow, { kind: 'picked', place: spot });
    await fill();
    await waitFor(() => expect(value('地址')).toBe('文三路199号创业中心'));
    expect(region('区县')).toContain('西湖区');
    const { province_id, city_id, area_id } = await saved();
    expect([province_id, city_id, area_id]).toEqual([11, 110, 1101]);
  });

  it('a region that is not among the own ones is doubted', async () => {
    await open([...regions, address], {}, true);
    const frame = await frameOf();
    await from(frame.contentWindow, { kind: 'picked', place: { ...spot, district: '钱塘新区' } });
    await fill();
    expect(await screen.findByText('地区资料里没有“钱塘新区”，请自选')).toBeTruthy();
    expect((await saved()).area_id ?? null).toBeNull();
  });

  it('what another window says is not heard, nor what is no message', async () => {
    await open([...regions, address], {}, true);
    const frame = await frameOf();
    await from(window, { kind: 'picked', place: spot });
    await from(null, { kind: 'picked', place: spot });
    await from(frame.contentWindow, { kind: 'picked', place: { ...spot, city: 5 } });
    await from(frame.contentWindow, { kind: 'picked' });
    expect(screen.getByText('还没有选')).toBeTruthy();
    expect(
      [...document.querySelectorAll('button')].find((one) => one.textContent?.replace(/\s/g, '') === '填入')?.disabled,
    ).toBe(true);
  });

  it('candidates are those of the last words', async () => {
    await open([...regions, address], {}, true);
    const frame = await frameOf();
    const asked = vi.spyOn(frame.contentWindow!, 'postMessage');
    await from(frame.contentWindow, { kind: 'ready' });
    const words = await screen.findByLabelText('查找地点');
    fireEvent.change(words, { target: { value: '创业中心' } });
    await pressButton('查找');
    expect(asked).toHaveBeenLastCalledWith({ kind: 'search', text: '创业中心', city: '' }, '*');
    await from(frame.contentWindow, { kind: 'found', text: '别的', places: [{ ...spot, name: '别处' }] });
    await from(frame.contentWindow, { kind: 'found', text: '创业中心', places: [spot] });
    expect(screen.queryByText('别处')).toBeNull();
    fireEvent.click(screen.getByText('创业中心', { selector: 'button span' }));
    expect(asked).toHaveBeenLastCalledWith({ kind: 'mark', longitude: 120.13, latitude: 30.27 }, '*');
    expect(screen.getByText('浙江省杭州市西湖区 文三路199号创业中心')).toBeTruthy();
  });

  it.each([
    ['says so', '地图服务没有加载成功，可在自己的地区资料里选到区县'],
    ['is silent', '地图服务没有应答，可在自己的地区资料里选到区县'],
  ])('whose provider %s gives way to the own regions', async (way, told) => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    await open([...regions, address], {}, true);
    const frame = await frameOf();
    if (way === 'says so') await from(frame.contentWindow, { kind: 'failed', what: 'load' });
    else await act(async () => void (await vi.advanceTimersByTimeAsync(10_000)));
    expect(await screen.findByText(told)).toBeTruthy();
    expect(document.querySelector('iframe')).toBeNull();
  });
});

describe('a record', () => {
  it('is looked at where it lies, and driven to from a warehouse', async () => {
    const row = {
      customer_id: 5,
      customer_name: '顺达',
      province_id: 11,
      province_name: '浙江省',
      city_name: '杭州市',
      area_name: '西湖区',
      address: '文三路199号',
    };
    view = renderPage(<DetailPage screen={screenOf([...regions, address], 'see')} id={5} />, {
      ...unserved,
      [`${api}/getInfo`]: () => okAnswer(row),
      'v2/system/Warehouse/getDropdown': () =>
        okAnswer({
          data: [{ warehouse_id: 3, warehouse_name: '一号仓', address: '杭州市康桥路1号' }],
          total: 1,
          current_page: 1,
          per_page: 30,
          last_page: 1,
        }),
    });
    serve();
    await pressButton('地图');
    const frame = await frameOf();
    const said = vi.spyOn(frame.contentWindow!, 'postMessage');
    await from(frame.contentWindow, { kind: 'ready' });
    expect(said).toHaveBeenLastCalledWith({ kind: 'show', text: '浙江省杭州市西湖区文三路199号', district: '' }, '*');
    expect(screen.queryByText('填入')).toBeNull();
    fireEvent.mouseDown(screen.getByRole('combobox'));
    fireEvent.click(await screen.findByText('一号仓', { selector: '.ant-select-item-option-content' }));
    await waitFor(() =>
      expect(said).toHaveBeenLastCalledWith(
        { kind: 'route', from: '杭州市康桥路1号', to: '浙江省杭州市西湖区文三路199号' },
        '*',
      ),
    );
    await from(frame.contentWindow, { kind: 'routed', metres: 12345, seconds: 1510 });
    expect(screen.getByText('驾车 12.3 公里，约 25 分钟')).toBeTruthy();
  });
});
