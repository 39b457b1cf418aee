import { useMemo } from 'react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { api, type Answer, type Routes } from '../api/client.js';
import { isShort, mostPagesRead, useChangedSince } from '../api/live.js';

/** The routes that answer pages: they have a cursor. */
type ListRoute = {
  readonly [Name in keyof Routes]: Routes[Name] extends {
    readonly query: { readonly cursor?: string | undefined };
  }
    ? Name
    : never;
}[keyof Routes];
type RowOf<Name extends ListRoute, Member extends string> =
  Answer<Name> extends Readonly<Record<Member, readonly (infer Row)[]>> ? Row : never;
type Filters<Name extends ListRoute> = Routes[Name] extends { readonly query: infer Query } ? Query : never;

/** Nouns whose changes do not stand in `/v1/changes`: there is a record for each relayed request. */
const unannounced: ReadonlySet<string> = new Set(['custody']);
const unannouncedEveryMs = 5_000;

/**
 * The rows of a list, page by page while scrolling. `member` is the member of the answer that holds them. The first
 * part of the key is the noun of the route, so that a change of such an object causes a new read of the list.
 */
export function usePages<Name extends ListRoute, Member extends string>(
  name: Name,
  member: Member & keyof Answer<Name>,
  filters: Partial<Filters<Name>>,
  enabled = true,
) {
  const noun = name.split('/')[2] ?? name;
  // Separate from the same route read as one answer (`useAnswer`), whose data has another form.
  const queryKey = [noun, name, 'pages', filters];
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const sent = { ...filters, limit: '100', ...(pageParam !== '' && { cursor: pageParam }) };
      return { readAt: Date.now(), ...(await api(name, { query: sent as never, signal })) };
    },
    initialPageParam: '',
    getNextPageParam: (last) => (last as { readonly next_cursor?: string }).next_cursor ?? undefined,
    enabled,
    refetchOnMount: isShort,
    refetchOnReconnect: isShort,
    refetchOnWindowFocus: isShort,
    refetchInterval: (of) => (unannounced.has(noun) && isShort(of) ? unannouncedEveryMs : false),
  });
  const pages = query.data?.pages;
  const rows = useMemo(
    () =>
      (pages ?? []).flatMap(
        (page) =>
          (page as unknown as Readonly<Record<string, unknown>>)[member] as readonly RowOf<Name, Member>[],
      ),
    [pages, member],
  );
  const client = useQueryClient();
  const hasChanged = useChangedSince(noun, pages?.[0]?.readAt ?? Infinity);
  return {
    ...query,
    rows,
    /** A row changed, and the list is too long to be read again automatically. */
    isOutdated: hasChanged && (pages?.length ?? 0) > mostPagesRead,
    /** Reads its first page again, and drops the others. */
    readAgain: () => client.resetQueries({ queryKey, exact: true }),
  };
}
