import { err, ok, type Instant, type Result } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/**
 * What an emergency stop blocks: all outbound requests, one seller, one principal, or one key. `organization`: every
 * caller of an organization that is closed before its deletion; no person sets or ends it as a stop.
 */
export type StopKind = 'all' | 'seller' | 'principal' | 'key' | 'organization';

/** The target as a person writes it: `all`, `seller:acme`, `principal:<id>`, `key:<kid>`. */
export interface StopTarget {
  readonly kind: StopKind;
  /** Slug, principal id or kid; empty for `all`. */
  readonly name: string;
}

/** An active stop. */
export interface Stop {
  readonly kind: StopKind;
  /** The compared value: id of the connection or the principal, kid of the key; empty for `all`. */
  readonly subject: string;
  /** The target as it was written. */
  readonly target: string;
  readonly reason?: string;
  /** Name of the principal that set it. */
  readonly by: string;
  readonly at: Instant;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface StopRepository {
  /** Also raises an alarm. Returns false if the stop already exists; it is not changed. */
  put(scope: TenantScope, stop: Stop): Promise<boolean>;
  /** Ends the stop with this target, and its alarm. Returns the ended stop, or `undefined` if there was none. */
  lift(scope: TenantScope, target: string, by: string): Promise<Stop | undefined>;
  /** Whether a key with this id signs for us, is registered for a caller, or was seen. */
  knowsKey(scope: TenantScope, kid: string): Promise<boolean>;
  /** Oldest first. */
  list(scope: TenantScope): Promise<readonly Stop[]>;
}

/**
 * Whether a stop is active; called before the blocked action. In each process, the answer is at most one second old.
 * `all` blocks every seller. Rejects if the answer is unknown; then nothing may be sent.
 */
export type IsStopped = (organizationId: string, kind: StopKind, subject: string) => Promise<boolean>;

const kinds: ReadonlySet<string> = new Set<StopKind>(['seller', 'principal', 'key']);

/** Reads a target as a person writes it. A name has at most 200 characters and no white space. */
export function readStopTarget(text: string): Result<StopTarget, string> {
  if (text === 'all') return ok({ kind: 'all', name: '' });
  const [kind = '', ...rest] = text.split(':');
  const name = rest.join(':');
  if (!kinds.has(kind) || !/^\S{1,200}$/.test(name))
    return err('A target is seller:SLUG, principal:ID, key:KID or all.');
  return ok({ kind: kind as StopKind, name });
}
