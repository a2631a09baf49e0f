import type { HTMLAttributes, PointerEvent } from 'react';

interface ResizableTitleProps extends HTMLAttributes<HTMLElement> {
  /** `th` in a table, `div` in the line grid. */
  as?: 'th' | 'div';
  columnWidth?: number;
  onResized?: (width: number) => void;
}

const MIN_WIDTH = 50;

/** A header cell whose right edge can be dragged; the table is told once, when let go. */
export function ResizableTitle({
  as: Tag = 'th',
  columnWidth = 100,
  onResized,
  children,
  ...rest
}: ResizableTitleProps) {
  return (
    <Tag {...rest}>
      {children}
      {onResized && (
        <span
          className="resize-handle"
          aria-hidden
          onPointerDown={(event) => startResize(event, columnWidth, onResized)}
          onClick={(event) => event.stopPropagation()}
        />
      )}
    </Tag>
  );
}

function startResize(event: PointerEvent<HTMLSpanElement>, width: number, onResized: (width: number) => void): void {
  event.preventDefault();
  event.stopPropagation();
  const handle = event.currentTarget;
  const from = event.clientX;
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
    onResized(Math.max(MIN_WIDTH, Math.round(width + up.clientX - from)));
  };
}
