import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The filters of a page: they are in the address, so that it can be shared and revisited. */
export function useFilters(): readonly [
  filters: Readonly<Record<string, string>>,
  set: (changes: Readonly<Record<string, string | undefined>>) => void,
] {
  const filters = useSearch({ strict: false }) as unknown as Readonly<Record<string, string>>;
  const navigate = useNavigate();
  const set = useCallback(
    (changes: Readonly<Record<string, string | undefined>>): void => {
      void navigate({
        to: '.',
        // The router would write the word undefined into the address.
        search: (old: Readonly<Record<string, string>>) =>
          Object.fromEntries(
            Object.entries({ ...old, ...changes }).filter(([, value]) => value !== undefined),
          ),
        replace: true,
      });
    },
    [navigate],
  );
  return [filters, set];
}

/** A word of the address for a route that accepts only certain words. The server checks it, and its refusal is shown. */
export const worded = (text: string | undefined): never => text as never;
