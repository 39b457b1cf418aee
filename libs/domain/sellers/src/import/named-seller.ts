/** One seller that a file names: where its agent is looked for, and what the file says of it. */
export interface NamedSeller {
  /** Where in the file: `row 3`, `line 3`, or a JSON pointer. */
  readonly at: string;
  /** The address of an agent, or a domain whose documents name one. */
  readonly input: string;
  /** What it is called there. */
  readonly name?: string;
  readonly protocol?: 'mcp' | 'a2a';
  /** Secret; never shown. For `basic` NAME:PASSWORD. */
  readonly token?: string;
  readonly tokenScheme?: 'bearer' | 'basic';
  /** Our account at this seller. */
  readonly account?: string;
  /** What an admin should know before it is imported. */
  readonly note?: string;
}

/** What a file names and is not imported, with the reason. */
export interface LeftOut {
  readonly at: string;
  readonly code:
    | 'no_address'
    | 'not_an_address'
    | 'local_process'
    | 'older_transport'
    | 'other_credential'
    | 'confidential'
    | 'window_over'
    | 'twice'
    | 'not_readable';
  readonly why: string;
}

/** Either a seller or why it is none. */
export type Read = NamedSeller | LeftOut;
