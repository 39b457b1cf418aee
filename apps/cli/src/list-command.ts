/** A member of the query of a list. */
export interface QueryMember {
  readonly name: string;
  /** The only values that it takes. */
  readonly words?: readonly string[];
  readonly description?: string;
}

interface ShownColumn {
  readonly of: readonly string[];
  readonly each?: string;
  readonly none?: string;
}

/** The command of a declared list, as the server describes it (apps/server/src/platform/routes/declared-list.ts). */
export interface ListCommand {
  readonly group: string;
  readonly word?: string;
  readonly title: string;
  readonly summary: string;
  readonly path: string;
  /** The member of the answer that holds the rows. */
  readonly rows: string;
  readonly columns: Readonly<Record<string, string | ShownColumn>>;
  readonly none?: string;
  readonly whole?: true;
  readonly isAnswer?: true;
}
