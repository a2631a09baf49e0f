import { DownOutlined, UpOutlined } from '@ant-design/icons';
import { Button, Checkbox, Empty } from 'antd';
import { useState, type ReactNode } from 'react';
import { formatField } from '../fields/fieldValue';
import type { Field, Row } from '../types';

/** Narrower than this (px) a table's rows are cards: what would have to be moved sideways stands one below the other. */
export const CARD_MAX_WIDTH = 600;

/** Number of values shown by a collapsed card. */
const COLLAPSED_VALUES = 7;

interface RowCardsProps {
  fields: Field[];
  rows: Row[];
  idOf: (row: Row) => number;
  /** The field that a card is headed by, and the one beside it. */
  title?: string;
  status?: string | null;
  renderValue: (field: Field, row: Row) => ReactNode;
  canOpen?: (row: Row) => boolean;
  onOpen?: (row: Row) => void;
  /** Rows that an action was refused for. */
  failed?: Set<number>;
  selection?: { chosen: number[]; onChoose: (ids: number[]) => void };
  /** Totals of the rows. */
  totals?: { label: string; text: string }[];
}

/** The rows of a table on a phone. */
export function RowCards({ rows, idOf, totals = [], ...shown }: RowCardsProps) {
  if (rows.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} />;
  return (
    <div className="row-cards">
      {rows.map((row, at) => (
        <RowCard key={idOf(row)} row={row} id={idOf(row)} number={at + 1} {...shown} />
      ))}
      {totals.length > 0 && (
        <dl className="row-card card-totals" aria-label="合计">
          {totals.map(({ label, text }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

interface RowCardProps extends Omit<RowCardsProps, 'rows' | 'idOf' | 'totals'> {
  row: Row;
  id: number;
  number: number;
}

function RowCard({
  row,
  id,
  number,
  fields,
  title,
  status,
  renderValue: show,
  canOpen: opens = () => true,
  onOpen,
  failed,
  selection: choosing,
}: RowCardProps) {
  const [unfolded, setUnfolded] = useState(false);
  const named = (name: string | null | undefined) => fields.find((field) => field.name === name);
  const [heading, state] = [named(title), named(status)];
  const valueFields = fields.filter((field) => field !== heading && field !== state && formatField(field, row) !== '');
  const leads = onOpen !== undefined && opens(row);
  const most = unfolded ? valueFields : valueFields.slice(0, COLLAPSED_VALUES);
  return (
    <article
      className={failed?.has(id) ? 'row-card error-row' : 'row-card'}
      aria-label={heading ? formatField(heading, row) : `第${number}行`}
    >
      <header>
        {choosing && <RowCheckbox id={id} {...choosing} />}
        <strong>{heading ? show(heading, row) : `第${number}行`}</strong>
        {state && show(state, row)}
      </header>
      <dl>
        {most.map((field) => (
          <div key={field.name}>
            <dt>{field.label}</dt>
            <dd>{show(field, row)}</dd>
          </div>
        ))}
      </dl>
      {(valueFields.length > COLLAPSED_VALUES || leads) && (
        <footer>
          {valueFields.length > COLLAPSED_VALUES && (
            <Button
              type="link"
              icon={unfolded ? <UpOutlined /> : <DownOutlined />}
              onClick={() => setUnfolded(!unfolded)}
            >
              {unfolded ? '收起' : `更多 ${valueFields.length - COLLAPSED_VALUES} 项`}
            </Button>
          )}
          {leads && (
            <Button type="link" onClick={() => onOpen?.(row)}>
              打开
            </Button>
          )}
        </footer>
      )}
    </article>
  );
}

function RowCheckbox({ id, chosen, onChoose }: { id: number; chosen: number[]; onChoose: (ids: number[]) => void }) {
  return (
    <Checkbox
      aria-label="选择"
      checked={chosen.includes(id)}
      onChange={(event) => onChoose(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
    />
  );
}
