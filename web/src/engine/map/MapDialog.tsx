/** 地图: locates or selects an address on the provider's map if there is one, else among the product's own regions. */
import { Button, Flex, Modal, Spin, Typography } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { useRestoreFocus } from '@/lib/useRestoreFocus';
import './map.css';
import ServedMap from './ServedMap';
import { formatAddress, type Address, type PlaceSelection } from './placeSelection';
import { toRegionNames, findRegionByNames, formatRegion, regionsQuery } from './regionTree';

const LocalMap = lazy(() => import('./LocalMap'));

interface MapDialogProps {
  title: string;
  address: Address;
  /** Takes the chosen place; without it the address is only looked at. */
  onPick?: (chosen: PlaceSelection) => void;
  onClose: () => void;
}

const WIDTH = 960;

/** The page comes by an authorised call, and nothing is asked of its provider before. */
function useMapPage() {
  return useQuery({
    queryKey: ['map', 'page'],
    queryFn: async () => (await api.download('v2/open/Map/getPage')).text(),
    staleTime: Infinity,
    retry: false,
    meta: { quiet: true },
  });
}

export default function MapDialog({ title, address, onPick, onClose }: MapDialogProps) {
  useRestoreFocus();
  const page = useMapPage();
  const regions = useQuery(regionsQuery());
  const [lost, setLost] = useState('');
  const [chosen, setChosen] = useState<PlaceSelection | null>(null);
  const why = lost || page.error?.message;
  const waits = page.isPending || regions.isPending;
  const tree = regions.data ?? [];
  const choose = onPick && setChosen;
  return (
    <Modal
      open
      title={title}
      width={WIDTH}
      footer={onPick ? <Footer chosen={chosen} onPick={onPick} onClose={onClose} /> : null}
      onCancel={onClose}
    >
      <div className="map-dialog">
        {waits ? (
          <Spin className="map-canvas" />
        ) : page.data !== undefined && !lost ? (
          <ServedMap html={page.data} tree={tree} address={address} onChoose={choose} onUnreachable={setLost} />
        ) : (
          <Suspense fallback={<Spin className="map-canvas" />}>
            <LocalMap
              tree={tree}
              reason={
                onPick
                  ? `${why}，可在自己的地区资料里选到区县`
                  : `${why}${formatAddress(address) && `：${formatAddress(address)}`}`
              }
              initialRegion={findRegionByNames(tree, address.names)}
              onChoose={choose}
            />
          </Suspense>
        )}
      </div>
    </Modal>
  );
}

function Footer({
  chosen,
  onPick,
  onClose,
}: {
  chosen: PlaceSelection | null;
  onPick: (chosen: PlaceSelection) => void;
  onClose: () => void;
}) {
  const text =
    chosen &&
    `${formatRegion(chosen.region.province ? toRegionNames(chosen.region) : chosen.names)} ${chosen.street ?? ''}`;
  return (
    <Flex gap={8} align="center" justify="end">
      <Typography.Text className="map-chosen" type={chosen ? undefined : 'secondary'}>
        {text ?? '还没有选'}
      </Typography.Text>
      <Button onClick={onClose}>取消</Button>
      <Button type="primary" disabled={chosen === null} onClick={() => chosen && onPick(chosen)}>
        填入
      </Button>
    </Flex>
  );
}
