import { useCallback, useState } from 'react';

export interface ElementSize {
  width: number;
  height: number;
}

/** The size of an element, as it changes. */
export function useElementSize<T extends HTMLElement>(): [
  (element: T | null) => (() => void) | undefined,
  ElementSize,
] {
  const [size, setSize] = useState<ElementSize>({ width: 0, height: 0 });
  const ref = useCallback((element: T | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      // A hidden page measures nothing; its last size is the better guess.
      if (width > 0)
        setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}
