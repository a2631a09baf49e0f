import { useEffect, useState } from 'react';

export const DEBOUNCE_DELAY = 500;

/** The value, once it has been still for a while. */
export function useDebounced<T>(value: T, delay = DEBOUNCE_DELAY): T {
  const [debounced, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return debounced;
}
