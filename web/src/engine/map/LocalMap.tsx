/** An address without a map service: the product's own regions over the outlines of a package. */
import { SearchOutlined } from '@ant-design/icons';
import { Alert, Button, Input } from 'antd';
import { useState } from 'react';
import ChinaMap from '@/lib/china/ChinaMap';
import { useElementSize } from '@/lib/useElementSize';
import type { PlaceSelection } from './placeSelection';
import { findUniqueMatch, isSameText, warnAmbiguous } from '../pickers/typedChoice';
import { deepestLevel, findRegions, toRegionNames, formatRegion, type Region, type Province } from './regionTree';

interface LocalMapProps {
  tree: Province[];
  /** Reason why the provider's map isn't shown. */
  reason: string;
  initialRegion: Region;
  onChoose?: (chosen: PlaceSelection) => void;
}

export default function LocalMap({ tree, reason: why, initialRegion: begin, onChoose }: LocalMapProps) {
  const [path, setPath] = useState<Region>(begin);
  const [words, setWords] = useState('');
  const [canvas, { height }] = useElementSize<HTMLDivElement>();
  const go = (region: Region) => {
    setPath(region);
    setWords('');
    if (region.province) onChoose?.({ region, names: toRegionNames(region), street: null });
  };
  const into = (province: Province) => go(expandMunicipality(province));
  const found = findRegions(tree, words);
  const searching = words.trim() !== '';
  const enter = () => {
    const only = findUniqueMatch(found, [(one) => isSameText(deepestLevel(one)?.name, words)]);
    if (only) go(only);
    else if (found.length > 0) warnAmbiguous('地区', words.trim());
  };
  return (
    <>
      <div className="map-side">
        <Alert type="info" showIcon title={why} />
        {onChoose && (
          <>
            <Input
              autoFocus
              allowClear
              aria-label="查找地区"
              placeholder="省、市、区县的名称或首字母"
              prefix={<SearchOutlined />}
              maxLength={50}
              value={words}
              onChange={(event) => setWords(event.target.value)}
              onPressEnter={enter}
            />
            {!searching && <RegionBreadcrumb path={path} onGo={go} />}
            <div className="map-list">
              {searching
                ? found.map((one) => (
                    <RegionButton
                      key={`${one.province?.id}/${one.city?.id}/${one.area?.id}`}
                      region={one}
                      whole
                      onGo={go}
                    />
                  ))
                : listSubregions(tree, path).map((one) => (
                    <RegionButton
                      key={deepestLevel(one)?.id}
                      region={one}
                      isChosen={one.area !== undefined && one.area === path.area}
                      onGo={go}
                    />
                  ))}
              {searching && found.length === 0 && <p className="map-none">没有找到，请换一个说法</p>}
            </div>
          </>
        )}
      </div>
      <div ref={canvas} className="map-canvas">
        {height > 0 && (
          <ChinaMap
            label="中国地图"
            height={height}
            values={tree.map(({ name, cities }) => ({
              province: name,
              value: 0,
              tooltipLines: [`${cities.flatMap(({ areas }) => areas).length}个区县`],
            }))}
            chosen={path.province?.name}
            onPick={(name) => {
              const province = tree.find((one) => one.name === name);
              if (province && onChoose) into(province);
            }}
          />
        )}
      </div>
    </>
  );
}

/** A municipality is its own only city. */
function expandMunicipality(province: Province): Region {
  return { province, city: province.cities.length === 1 ? province.cities[0] : undefined };
}

function listSubregions(tree: Province[], { province, city }: Region): Region[] {
  if (!province) return tree.map(expandMunicipality);
  if (!city) return province.cities.map((one) => ({ province, city: one }));
  return city.areas.map((area) => ({ province, city, area }));
}

function RegionBreadcrumb({ path: { province, city }, onGo }: { path: Region; onGo: (region: Region) => void }) {
  const steps: { name: string; region: Region }[] = [{ name: '全国', region: {} }];
  if (province) steps.push({ name: province.name, region: expandMunicipality(province) });
  if (province && city && province.cities.length > 1) steps.push({ name: city.name, region: { province, city } });
  return (
    <div className="map-trail">
      {steps.map(({ name, region }) => (
        <Button key={name} type="link" size="small" onClick={() => onGo(region)}>
          {name}
        </Button>
      ))}
    </div>
  );
}

interface RegionButtonProps {
  region: Region;
  whole?: boolean;
  isChosen?: boolean;
  onGo: (region: Region) => void;
}

function RegionButton({ region, whole = false, isChosen = false, onGo }: RegionButtonProps) {
  const own = region.area ?? (region.city && region.province?.cities.length !== 1 ? region.city : region.province);
  return (
    <Button type={isChosen ? 'primary' : 'text'} size="small" onClick={() => onGo(region)}>
      {whole ? formatRegion(toRegionNames(region)) : own?.name}
    </Button>
  );
}
