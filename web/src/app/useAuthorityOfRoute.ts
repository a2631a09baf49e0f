/** On navigation asks for the permission list of the third path segment and keeps it as the authority. */
import { useEffect } from 'react';
import type { RequestOpen } from '@/gen';
import { api } from '@/lib/api';
import { setAuthority } from '@/lib/authority';
import { useQuery } from '@/lib/query';

const UNRESTRICTED_ROUTES = new Set(['home', 'Checkstand', 'businessData', 'particulars']);

/** `/sales/salesout/x` split at its slashes has `salesout` third. */
export function authorityCode(pathname: string): string | null {
  const code = pathname.split('/')[2] ?? '';
  return code === '' || UNRESTRICTED_ROUTES.has(code) ? null : code;
}

export function useAuthorityOfRoute(pathname: string): void {
  const code = authorityCode(pathname);
  const { data } = useQuery({
    queryKey: ['authority', code],
    queryFn: () => api.get<RequestOpen>('open/RequestOpen/getRequestOpenList', { code }),
    enabled: code !== null,
    staleTime: 0,
    meta: { quiet: true },
  });
  useEffect(() => {
    if (code === null || data === undefined) return;
    const { service_company_type, role_list } = data;
    if (data.is_role === 'Y') setAuthority({ code, service_company_type, role_list });
    else setAuthority(null);
  }, [code, data]);
}
