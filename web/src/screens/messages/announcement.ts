/** Shared code of the announcement screens. */
import { queryOptions } from '@tanstack/react-query';
import type { Row, Screen } from '@/engine/types';
import type { Addressees } from '@/gen';
import { api } from '@/lib/api';

export const EVERYBODY = 1;
export const COMPANIES = 4;
export const ROLES = 5;

const NO_ADDRESSEES: Addressees = { companies: [], roles: [], reached: 0, read: 0, readers: [] };

export function addresseesQuery(id: number) {
  return queryOptions({
    queryKey: ['message_log', 'addressees', id],
    queryFn: ({ signal }) =>
      id ? api.get<Addressees>('v2/system/MessageLog/getAddressees', { id }, { signal }) : NO_ADDRESSEES,
  });
}

export function listAudiences(screen: Screen) {
  const field = screen.fields.find(({ name }) => name === 'audience');
  return (field?.options ?? []).map(({ value, label }) => ({ value: Number(value), label }));
}

export function audienceName(screen: Screen, row: Row): string {
  return listAudiences(screen).find(({ value }) => value === Number(row.audience))?.label ?? '';
}
