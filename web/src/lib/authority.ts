/** The permission list of the route on screen, asked for on each navigation. */
import { useSyncExternalStore } from 'react';

export interface Authority {
  code: string;
  service_company_type: number;
  role_list: string[];
}

const listeners = new Set<() => void>();
let currentAuthority: Authority | null = null;

export function setAuthority(authority: Authority | null): void {
  currentAuthority = authority;
  for (const listener of listeners) listener();
}

export function useAuthority(): Authority | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => currentAuthority,
  );
}
