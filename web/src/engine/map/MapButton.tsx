/** 地图 beside an address: opens it on the map; in a form the selected place fills in the address. */
import { EnvironmentOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '@/lib/query';
import { formatField } from '../fields/fieldValue';
import type { FormModel } from '../form/formModel';
import { recordByKeyQuery } from '../queries';
import { isRef, type Field, type RefField, type Row } from '../types';
import { buildAddress, fillPlace, type Address, type PlaceSelection } from './placeSelection';

const MapDialog = lazy(() => import('./MapDialog'));

interface MapButtonProps {
  field: Field;
  row: Row;
  /** The form that a chosen place goes into, and its fields. */
  target?: { form: FormModel; fields: Field[] };
}

export function MapButton({ field, row, target: into }: MapButtonProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const pick =
    into &&
    ((chosen: PlaceSelection) => {
      fillPlace(into.form, into.fields, field, chosen);
      close();
    });
  const dialog = { title: `${field.label}：地图`, onPick: pick, onClose: close };
  return (
    <>
      <Button
        type="text"
        size="small"
        style={{ marginLeft: 4 }}
        icon={<EnvironmentOutlined />}
        title={`${field.label}：地图`}
        onClick={() => setOpen(true)}
      >
        地图
      </Button>
      {open && (
        <Suspense fallback={null}>
          {isRef(field) ? (
            <ReferencedPlaceDialog field={field} row={row} {...dialog} />
          ) : (
            <MapDialog address={buildAddress(row, formatField(field, row))} {...dialog} />
          )}
        </Suspense>
      )}
    </>
  );
}

interface DialogProps {
  title: string;
  onPick?: (chosen: PlaceSelection) => void;
  onClose: () => void;
}

/** The record that a field names says itself in which region it lies. */
function ReferencedPlaceDialog({ field, row, ...dialog }: DialogProps & { field: RefField; row: Row }) {
  const named = useQuery(recordByKeyQuery(field.ref, Number(row[field.name])));
  if (named.isPending) return null;
  const [place = {}] = named.data?.data ?? [];
  const address: Address = buildAddress(place, formatField(field, row));
  return <MapDialog address={address} {...dialog} />;
}
