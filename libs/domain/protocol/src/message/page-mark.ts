/** Position in an answer of several pages; `cursor` is present while there are more. */
export interface PageMark {
  readonly cursor?: string;
  readonly totalCount?: number;
}
