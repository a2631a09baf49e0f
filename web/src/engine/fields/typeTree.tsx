import { CaretDownOutlined, CaretRightOutlined } from '@ant-design/icons';
import { useState } from 'react';
import { useQueries } from '../../lib/query';
import { childTypesQuery, type TypeNode } from '../queries';
import type { Ref, Row } from '../types';

const ROOT_ID = 0;

export interface TypeTree {
  rows: Row[];
  isExpanded: (row: Row) => boolean;
  toggle: (row: Row) => void;
}

/** The goods types as a tree, a level read when it is unfolded; null for other references, and where it can't be read. */
export function useTypeTree(ref: Ref, enabled: boolean): TypeTree | null {
  const [unfolded, setUnfolded] = useState<number[]>([]);
  const parents = ref.resource === 'goods_type' && enabled ? [ROOT_ID, ...unfolded] : [];
  const levels = useQueries({ queries: parents.map(childTypesQuery) });
  const below = new Map(parents.map((id, at) => [id, levels[at]?.data ?? []]));
  if (!levels[0]?.data) return null;
  const rowsOf = (id: number): TypeNode[] =>
    (below.get(id) ?? []).flatMap((node) => [node, ...rowsOf(node.goods_type_id)]);
  return {
    rows: rowsOf(ROOT_ID),
    isExpanded: (row) => unfolded.includes(Number(row.goods_type_id)),
    toggle: ({ goods_type_id }) => {
      const id = Number(goods_type_id);
      setUnfolded((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id]));
    },
  };
}

/** A type by its level, with what unfolds those below it. */
export function TypeOption({ row, label, tree }: { row: Row; label: string; tree: TypeTree }) {
  const open = tree.isExpanded(row);
  return (
    <span className="type-option" style={{ paddingInlineStart: (Number(row.level) - 1) * 16 }}>
      {row.is_leaf ? (
        <span className="type-fold" />
      ) : (
        <span
          role="button"
          className="type-fold"
          aria-label={`${open ? '收起' : '展开'}${label}`}
          onClick={(event) => {
            event.stopPropagation();
            tree.toggle(row);
          }}
        >
          {open ? <CaretDownOutlined /> : <CaretRightOutlined />}
        </span>
      )}
      {label}
    </span>
  );
}
