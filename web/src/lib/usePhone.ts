import { useSyncExternalStore } from 'react';

const PHONE = '(max-width: 600px)';

function onChange(listener: () => void): () => void {
  const query = matchMedia(PHONE);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether the window is as narrow as a phone's. */
export function usePhone(): boolean {
  return useSyncExternalStore(onChange, () => matchMedia(PHONE).matches);
}
