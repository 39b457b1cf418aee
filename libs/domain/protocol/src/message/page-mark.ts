/** Where an answer of several pages goes on; `cursor` is there as long as it does. */
export interface PageMark {
  readonly cursor?: string;
  readonly totalCount?: number;
}
