/** An address on the provider's map: found by words or by a click, seen, or driven to from a warehouse. */
import { AimOutlined } from '@ant-design/icons';
import { Button, Flex, Input, Switch, Typography } from 'antd';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { RefSelect } from '../fields/RefSelect';
import type { RefField } from '../types';
import { MapFrame, type SendToMap } from './MapFrame';
import { formatFailure, type MapMessage, type MapPlace } from './mapProtocol';
import { buildAddress, formatAddress, type Address, type PlaceSelection } from './placeSelection';
import { deepestLevel, findRegionByNames, formatRegion, type Province } from './regionTree';

interface ServedMapProps {
  html: string;
  tree: Province[];
  address: Address;
  onChoose?: (chosen: PlaceSelection) => void;
  /** The provider can't be reached. */
  onUnreachable: (why: string) => void;
}

/** Timeout (ms) for the map provider to start. */
const START_TIMEOUT = 10_000;
const WAREHOUSE_FIELD: Pick<RefField, 'label' | 'required' | 'ref'> = {
  label: '出发仓库',
  required: false,
  ref: {
    resource: 'warehouse',
    api: 'v2/system/Warehouse',
    value: 'warehouse_id',
    label: 'warehouse_name',
    search: ['warehouse_name'],
    filter_by: [],
    only: {},
  },
};

export default function ServedMap({ html, tree, address, onChoose, onUnreachable: onLost }: ServedMapProps) {
  const frame = useRef<SendToMap>(null);
  const [ready, setReady] = useState(false);
  const [words, setWords] = useState('');
  const [searched, setAsked] = useState<string | null>(null);
  const [places, setPlaces] = useState<MapPlace[]>([]);
  const [status, setTold] = useState('');
  const [measuring, setMeasuring] = useState(false);
  const say: SendToMap = (message) => {
    setTold('');
    frame.current?.(message);
  };
  const lose = useEffectEvent(() => onLost('地图服务没有应答'));
  useEffect(() => {
    if (ready) return undefined;
    const timer = setTimeout(() => lose(), START_TIMEOUT);
    return () => clearTimeout(timer);
  }, [ready]);

  const choose = (place: MapPlace) => {
    const { province, city, district } = place;
    const names = { province, city, district };
    onChoose?.({ region: findRegionByNames(tree, names), names, street: formatStreet(place) });
  };
  const search = () => {
    if (words.trim() === '') return;
    setAsked(words.trim());
    say({ kind: 'search', text: words.trim(), city: address.names.city });
  };
  const onMessage = (message: MapMessage) => {
    switch (message.kind) {
      case 'ready': {
        setReady(true);
        const code = address.street === '' ? deepestLevel(findRegionByNames(tree, address.names))?.code : '';
        if (formatAddress(address) !== '') say({ kind: 'show', text: formatAddress(address), district: code ?? '' });
        return;
      }
      case 'found':
        if (message.text !== searched) return;
        setPlaces(message.places);
        setTold(message.places.length === 0 ? '没有找到，请换一个说法' : '');
        return;
      case 'picked':
        setTold('');
        choose(message.place);
        return;
      case 'routed':
        setTold(
          `驾车 ${(message.metres / 1000).toFixed(1)} 公里，约 ${Math.max(1, Math.round(message.seconds / 60))} 分钟`,
        );
        return;
      case 'failed':
        if (message.what === 'load') onLost(formatFailure('load'));
        else setTold(formatFailure(message.what));
    }
  };
  // The shell asks where it is: a browser tells that to no page without an origin.
  const locate = () => {
    const unknown = () => say({ kind: 'locate', longitude: null, latitude: null });
    navigator.geolocation.getCurrentPosition(
      ({ coords: { longitude, latitude } }) => say({ kind: 'locate', longitude, latitude }),
      unknown,
      { timeout: START_TIMEOUT },
    );
  };

  return (
    <>
      <div className="map-side">
        {onChoose ? (
          <>
            <Flex gap={8}>
              <Input.Search
                autoFocus
                aria-label="查找地点"
                placeholder="单位、小区、路名门牌"
                enterButton="查找"
                maxLength={100}
                disabled={!ready}
                value={words}
                onChange={(event) => setWords(event.target.value)}
                onSearch={search}
              />
              <Button icon={<AimOutlined />} aria-label="定位" title="定位到这里" disabled={!ready} onClick={locate} />
            </Flex>
            <div className="map-list whole">
              {places.map((place, at) => (
                <Button
                  key={at}
                  type="text"
                  onClick={() => {
                    if (place.point) say({ kind: 'mark', ...place.point });
                    choose(place);
                  }}
                >
                  <span>{place.name}</span>
                  <small>{formatRegion(place) + place.address}</small>
                </Button>
              ))}
            </div>
          </>
        ) : (
          <>
            <Typography.Text>{formatAddress(address)}</Typography.Text>
            <RouteStartSelect
              disabled={!ready}
              onStart={(from) =>
                from === '' ? setTold('这个仓库没有填地址') : say({ kind: 'route', from, to: formatAddress(address) })
              }
            />
          </>
        )}
        {status && <Typography.Text type="secondary">{status}</Typography.Text>}
        <label className="map-measure">
          <Switch
            size="small"
            aria-label="测距"
            disabled={!ready}
            checked={measuring}
            onChange={(on) => {
              setMeasuring(on);
              say({ kind: 'measure', on });
            }}
          />
          测距：依次点，双击结束
        </label>
      </div>
      <MapFrame html={html} sendRef={frame} onMessage={onMessage} />
    </>
  );
}

/** The warehouse that one drives from. */
function RouteStartSelect({ disabled, onStart }: { disabled: boolean; onStart: (from: string) => void }) {
  const [start, setStart] = useState<{ id: unknown; name: string | null }>({ id: null, name: null });
  return (
    <RefSelect
      field={WAREHOUSE_FIELD}
      value={start.id}
      label={start.name}
      disabled={disabled}
      onChange={(id, name, picked) => {
        setStart({ id, name });
        if (picked) onStart(formatAddress(buildAddress(picked, String(picked.address ?? ''))));
      }}
    />
  );
}

/** The street with what is found there by name. */
function formatStreet({ name, address }: MapPlace): string {
  return name === '' || address.includes(name) ? address : `${address}${name}`;
}
