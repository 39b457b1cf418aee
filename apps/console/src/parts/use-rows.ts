import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, type Answer, type Routes, type Sent } from '../api/client.js';
import { useMe, may } from '../api/session.js';

/** The answer of a route, cached under the noun of the route, so that a change of such an object causes a new read. */
export function useAnswer<Name extends keyof Routes>(name: Name, sent: Sent<Name> = {}, enabled = true) {
  return useQuery({
    queryKey: [name.split('/')[2] ?? name, name, sent],
    queryFn: ({ signal }) => api(name, { ...sent, signal }),
    enabled,
  });
}

/** Rows of an answer that has no pages, for `DataTable`. */
export function useRows<Name extends keyof Routes, Row>(
  name: Name,
  rowsOf: (answer: Answer<Name>) => readonly Row[],
  sent: Sent<Name> = {},
  enabled = true,
) {
  const query = useAnswer(name, sent, enabled);
  return {
    ...query,
    rows: query.data === undefined ? [] : rowsOf(query.data),
    hasNextPage: false,
    isFetchingNextPage: false,
    fetchNextPage: () => undefined,
  };
}

/** Reads all shown data again, after an action. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries();
}

/** Whether the signed-in person has a permission in at least one scope. */
export function useMay(): (permission: string) => boolean {
  const { data } = useMe();
  return (permission) => data !== undefined && data !== null && may(data, permission);
}
