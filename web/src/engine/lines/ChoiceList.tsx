import { Spin } from 'antd';
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { formatPrice, formatQuantity } from '../../lib/format';
import type { Row } from '../types';
import type { Choice, Choices } from './useChoices';

interface ChoiceListProps {
  id: string;
  anchor: RefObject<HTMLElement | null>;
  choices: Choices;
  highlight: number;
  goods: boolean;
  onPick: (choice: Choice) => void;
}

const NEAR_BOTTOM = 200;
const GAP = 2;

/** The open list under the active cell; focus stays in the cell. */
export function ChoiceList({ id, anchor, choices, highlight, goods, onPick }: ChoiceListProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => placeList(box.current, anchor.current));
  useEffect(() => {
    const follow = () => placeList(box.current, anchor.current);
    window.addEventListener('scroll', follow, true);
    window.addEventListener('resize', follow);
    return () => {
      window.removeEventListener('scroll', follow, true);
      window.removeEventListener('resize', follow);
    };
  }, [anchor]);
  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [highlight]);
  return createPortal(
    <div
      ref={box}
      id={id}
      role="listbox"
      className={goods ? 'choice-list goods' : 'choice-list'}
      onMouseDown={(event) => event.preventDefault()}
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        if (scrollHeight - scrollTop - clientHeight < NEAR_BOTTOM) choices.loadMore();
      }}
    >
      {goods && choices.list.length > 0 && <GoodsHeading />}
      {choices.list.map((choice, index) => (
        <div
          key={String(choice.value)}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === Math.max(0, highlight)}
          className="choice"
          onClick={() => onPick(choice)}
        >
          {goods && choice.row ? <GoodsChoice row={choice.row} /> : <PlainChoice choice={choice} />}
        </div>
      ))}
      {choices.loading && <Spin size="small" className="choice-note" />}
      {!choices.loading && choices.list.length === 0 && <div className="choice-note">暂无数据</div>}
    </div>,
    document.body,
  );
}

/** Under the anchor, or above it where the window ends. */
function placeList(box: HTMLElement | null, anchor: HTMLElement | null): void {
  if (!box || !anchor) return;
  const cell = anchor.getBoundingClientRect();
  const below = window.innerHeight - cell.bottom;
  const above = below < box.offsetHeight + GAP && cell.top > below;
  // What stands to the right of it would else narrow it.
  box.style.left = '0';
  box.style.left = `${Math.max(0, Math.min(cell.left, window.innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = above ? `${cell.top - box.offsetHeight - GAP}px` : `${cell.bottom + GAP}px`;
  box.style.minWidth = `${cell.width}px`;
}

/** A batch tells how much there is of it, a pack how much it holds. */
function PlainChoice({ choice }: { choice: Choice }) {
  const available = choice.row?.available_stocks;
  if (choice.row?.factor !== undefined) return `${choice.label}=${formatQuantity(choice.row.factor)}`;
  if (available === undefined) return choice.label;
  return (
    <>
      {choice.label} <span className="choice-stock">可用 {formatQuantity(available)}</span>
    </>
  );
}

function GoodsHeading() {
  return (
    <div className="choice heading" aria-hidden>
      <span>编码</span>
      <span>名称</span>
      <span>规格</span>
      <span>花纹</span>
      <span className="figure">可用库存</span>
      <span className="figure">单价</span>
    </div>
  );
}

function GoodsChoice({ row }: { row: Row }) {
  const text = (name: string) => String(row[name] ?? '');
  return (
    <>
      <span>{text('goods_num')}</span>
      <span title={text('goods_name')}>{text('goods_name')}</span>
      <span>{text('specification_type')}</span>
      <span>{text('pattern')}</span>
      <span className="figure">{formatQuantity(row.available_stocks)}</span>
      <span className="figure" title={text('price_source')}>
        {formatPrice(row.unit_price)}
      </span>
    </>
  );
}
