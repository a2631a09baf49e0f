/**
 * Queries of server state: pages behind other tabs don't fetch, and refetch what is stale when they are shown again.
 */
import * as reading from '@tanstack/react-query';
import { usePageActive } from './tabs';

export const useQuery = ((options, client) => {
  const active = usePageActive();
  return reading.useQuery({ subscribed: active, ...options }, client);
}) as typeof reading.useQuery;

export const useInfiniteQuery = ((options, client) => {
  const active = usePageActive();
  return reading.useInfiniteQuery({ subscribed: active, ...options }, client);
}) as typeof reading.useInfiniteQuery;

export const useQueries = ((options, client) => {
  const active = usePageActive();
  return reading.useQueries({ subscribed: active, ...options }, client);
}) as typeof reading.useQueries;
