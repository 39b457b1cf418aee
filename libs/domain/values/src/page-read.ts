/** What a list is ordered by, down to a member that no two rows share: instants in milliseconds, ids and names as text. */
export type SortKey = readonly (string | number)[];

/** The part of a list that is wanted: `limit` rows after `after`, in the order of the list. */
export interface PageRead {
  readonly after?: SortKey;
  readonly limit: number;
}
