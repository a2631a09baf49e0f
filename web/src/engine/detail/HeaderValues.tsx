import { Descriptions } from 'antd';
import { lazy, Suspense } from 'react';
import { ReadOnlyValue } from '../fields/ReadOnlyValue';
import { formatField, parseFiles } from '../fields/fieldValue';
import { MapButton } from '../map/MapButton';
import type { Field, Row, Screen } from '../types';

const FilesInput = lazy(() => import('../upload/FilesInput'));

/** The record's own fields; the status stands in the page's title. */
export function HeaderValues({ screen, row }: { screen: Screen; row: Row }) {
  const fields = screen.fields.filter((field) => field.name !== screen.status_field && isShown(field, row));
  const items = fields.map((field) => {
    const text = formatField(field, row);
    const wide = field.type === 'textarea' || field.type === 'image';
    const files = field.type === 'image' && parseFiles(field, row).length > 0;
    return {
      key: field.name,
      label: field.label,
      span: wide ? ('filled' as const) : 1,
      children: files ? (
        <Suspense fallback={text}>
          <FilesInput field={field} row={row} />
        </Suspense>
      ) : text ? (
        <>
          <ReadOnlyValue field={field} row={row} />
          {field.place && !field.masked && <MapButton field={field} row={row} />}
        </>
      ) : (
        '—'
      ),
    };
  });
  return (
    <Descriptions
      bordered
      size="small"
      column={{ xs: 1, sm: 2, lg: 3, xl: 4, xxl: 5 }}
      items={items}
      className="header-values no-print"
    />
  );
}

/** A reason for rejection and the like is only of interest where there is one. */
function isShown(field: Field, row: Row): boolean {
  if (field.hidden || field.type === 'password') return false;
  return field.form || field.list || formatField(field, row) !== '';
}
