import type { List } from '@switchyard/store';

/** A column of the table that a person is shown. */
export interface ShownColumn {
  /** The first of these members that has a value. */
  readonly of: readonly string[];
  /** Of a list of objects, the member that is shown of each. */
  readonly each?: string;
  /** Shown if none has a value. */
  readonly none?: string;
}

/** The command of a list, as the build hands it to the command line. */
export interface ListCommand {
  /** The words before the last one. */
  readonly group: string;
  /** The last word; `list` unless set. */
  readonly word?: string;
  /** What the group is about. */
  readonly title: string;
  readonly summary: string;
  readonly columns: Readonly<Record<string, string | ShownColumn>>;
  /** Printed if there are no rows. */
  readonly none?: string;
  /** All pages are printed, unless one is asked for. */
  readonly whole?: true;
  /** With `--json`, one page is printed as the answer of the server: scripts read its members. */
  readonly isAnswer?: true;
}

/** The list behind a route, for the command line and for the specs that go through all lists. */
export interface DeclaredList {
  /** The name of the schema of a row: no other schema has it. */
  readonly noun: string;
  /** The member of the answer that holds the rows. */
  readonly rows: string;
  readonly list: List;
  /** Absent if it is written by hand. */
  readonly command?: ListCommand;
}
