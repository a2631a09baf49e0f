import { useSyncExternalStore } from 'react';

const PHONE_QUERY = '(max-width: 600px)';

function subscribeToPhoneQuery(listener: () => void): () => void {
  const query = matchMedia(PHONE_QUERY);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Return whether the window is as narrow as a phone's. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(subscribeToPhoneQuery, () => matchMedia(PHONE_QUERY).matches);
}
