/** Sort key of a row, unique within its list: instants in milliseconds, ids and names as text. */
export type SortKey = readonly (string | number)[];

/** One page of a list: `limit` rows after `after`, in the order of the list. */
export interface PageRead {
  readonly after?: SortKey;
  readonly limit: number;
}
