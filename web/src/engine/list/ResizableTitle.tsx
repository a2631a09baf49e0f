import type { HTMLAttributes, PointerEvent } from 'react';

interface ResizableTitleProps extends HTMLAttributes<HTMLTableCellElement> {
  columnWidth?: number;
  onResized?: (width: number) => void;
}

const MIN_WIDTH = 50;

/** A header cell whose right edge can be dragged; the table is told once, when let go. */
export function ResizableTitle({ columnWidth, onResized, children, ...rest }: ResizableTitleProps) {
  if (onResized === undefined) return <th {...rest}>{children}</th>;
  const start = (event: PointerEvent<HTMLSpanElement>) => {
    event.preventDefault();
    event.stopPropagation();
    const handle = event.currentTarget;
    const from = event.clientX;
    const widthAt = (x: number) => Math.max(MIN_WIDTH, (columnWidth ?? 100) + x - from);
    handle.setPointerCapture(event.pointerId);
    handle.classList.add('dragging');
    handle.onpointermove = (move) => {
      handle.style.transform = `translateX(${move.clientX - from}px)`;
    };
    handle.onpointerup = (up) => {
      handle.onpointermove = null;
      handle.onpointerup = null;
      handle.style.transform = '';
      handle.classList.remove('dragging');
      onResized(widthAt(up.clientX));
    };
  };
  return (
    <th {...rest}>
      {children}
      <span className="resize-handle" aria-hidden onPointerDown={start} onClick={(event) => event.stopPropagation()} />
    </th>
  );
}
