import type { ReleaseName } from '../releases/release.js';

/** The product segment in names (`ads` or `adcp`): see the dialect table in `dialect.ts`. */
export type Dialect = 'ads' | 'adcp';

/** The release family of a peer's message shapes. It is independent of the dialect. */
export type Form = 'service' | '2.5' | '3.0' | '3.1';

/** The names and shapes of messages with one peer. */
export interface WireProfile {
  readonly dialect: Dialect;
  readonly form: Form;
  /** A release after the newest form, if one was asked for; messages then have that form and what the release adds. */
  readonly release?: ReleaseName;
}
