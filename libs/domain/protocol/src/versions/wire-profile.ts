/** The product segment in names (`ads` or `adcp`): see the dialect table in `dialect.ts`. */
export type Dialect = 'ads' | 'adcp';

/** The vintage of message shapes that a peer speaks. It is independent of its dialect. */
export type Form = 'service' | '2.5' | '3.0' | '3.1';

/** How one peer speaks: the names it uses and the shapes it sends and expects. */
export interface WireProfile {
  readonly dialect: Dialect;
  readonly form: Form;
}
