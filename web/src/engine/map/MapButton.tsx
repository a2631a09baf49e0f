/** 地图 beside an address: opens it on the map, in a form to be filled in by what is chosen there. */
import { EnvironmentOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '@/lib/query';
import { fieldText } from '../fields/fieldValue';
import type { FormModel } from '../form/formModel';
import { namedQuery } from '../queries';
import { isRef, type Field, type RefField, type Row } from '../types';
import { addressOf, placeInto, type Address, type Chosen } from './placing';

const MapDialog = lazy(() => import('./MapDialog'));

interface MapButtonProps {
  field: Field;
  row: Row;
  /** The form that a chosen place goes into, and its fields. */
  into?: { form: FormModel; fields: Field[] };
}

export function MapButton({ field, row, into }: MapButtonProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const pick = into && ((chosen: Chosen) => {
    placeInto(into.form, into.fields, field, chosen);
    close();
  });
  const dialog = { title: `${field.label}：地图`, onPick: pick, onClose: close };
  return (
    <>
      <Button type="text" size="small" style={{ marginLeft: 4 }} icon={<EnvironmentOutlined />} title={`${field.label}：地图`} onClick={() => setOpen(true)}>
        地图
      </Button>
      {open && (
        <Suspense fallback={null}>
          {isRef(field) ? (
            <NamedPlace field={field} row={row} {...dialog} />
          ) : (
            <MapDialog address={addressOf(row, fieldText(field, row))} {...dialog} />
          )}
        </Suspense>
      )}
    </>
  );
}

interface DialogProps {
  title: string;
  onPick?: (chosen: Chosen) => void;
  onClose: () => void;
}

/** The record that a field names says itself in which region it lies. */
function NamedPlace({ field, row, ...dialog }: DialogProps & { field: RefField; row: Row }) {
  const named = useQuery(namedQuery(field.ref, Number(row[field.name])));
  if (named.isPending) return null;
  const [place = {}] = named.data?.data ?? [];
  const address: Address = addressOf(place, fieldText(field, row));
  return <MapDialog address={address} {...dialog} />;
}
