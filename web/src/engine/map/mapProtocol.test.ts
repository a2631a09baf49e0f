import { describe, expect, it } from 'vitest';
import { parseMessage } from './mapProtocol';

const spot = {
  name: '创业中心',
  address: '文三路199号',
  province: '浙江省',
  city: '杭州市',
  district: '西湖区',
  longitude: 120.13,
  latitude: 30.27,
};
const read = {
  name: '创业中心',
  address: '文三路199号',
  province: '浙江省',
  city: '杭州市',
  district: '西湖区',
  point: { longitude: 120.13, latitude: 30.27 },
};

describe('what the map says', () => {
  it('is read as it is written', () => {
    expect(parseMessage({ kind: 'ready', more: 1 })).toEqual({ kind: 'ready' });
    expect(parseMessage({ kind: 'found', text: '创业', places: [spot] })).toEqual({
      kind: 'found',
      text: '创业',
      places: [read],
    });
    expect(parseMessage({ kind: 'picked', place: spot })).toEqual({ kind: 'picked', place: read });
    expect(parseMessage({ kind: 'routed', metres: 12300, seconds: 1500 })).toEqual({
      kind: 'routed',
      metres: 12300,
      seconds: 1500,
    });
    expect(parseMessage({ kind: 'failed', what: 'route' })).toEqual({ kind: 'failed', what: 'route' });
  });

  it('is nothing where it is anything else', () => {
    const others = [
      null,
      undefined,
      'ready',
      5,
      [],
      {},
      { kind: 'token' },
      { kind: 'constructor' },
      { kind: 'found', places: [spot] },
      { kind: 'found', text: '创业', places: 'all' },
      { kind: 'found', text: '创业', places: [spot, null] },
      { kind: 'picked' },
      { kind: 'picked', place: { ...spot, city: ['杭州市'] } },
      { kind: 'picked', place: { ...spot, name: { toString: () => 'x' } } },
      { kind: 'routed', metres: '12300', seconds: 1500 },
      { kind: 'routed', metres: -1, seconds: 1 },
      { kind: 'routed', metres: Infinity, seconds: 1 },
      { kind: 'failed', what: 'toString' },
      { kind: 'failed' },
    ];
    expect(others.map(parseMessage).filter((one) => one !== null)).toEqual([]);
  });

  it('is no longer than it may be, and lies on earth', () => {
    const many = parseMessage({ kind: 'found', text: 'x', places: Array.from({ length: 500 }, () => spot) });
    expect(many?.kind === 'found' && many.places.length).toBe(20);
    const long = parseMessage({ kind: 'picked', place: { ...spot, address: '路'.repeat(5000), longitude: 500 } });
    expect(long?.kind === 'picked' && [long.place.address.length, long.place.point]).toEqual([200, null]);
    for (const longitude of ['120', null, Number.NaN]) {
      const message = parseMessage({ kind: 'picked', place: { ...spot, longitude } });
      expect(message?.kind === 'picked' && message.place.point).toBeNull();
    }
  });
});
