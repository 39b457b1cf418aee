import { err, ok, type Instant, type Result } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/** What an emergency stop holds: everything that goes out, one seller, one principal, or one key. */
export type StopKind = 'all' | 'seller' | 'principal' | 'key';

/** What is stopped, as a person names it: `all`, `seller:acme`, `principal:<id>`, `key:<kid>`. */
export interface StopTarget {
  readonly kind: StopKind;
  /** Slug, principal id or kid; empty for `all`. */
  readonly name: string;
}

/** A stop that stands. */
export interface Stop {
  readonly kind: StopKind;
  /** What is compared: id of the connection or the principal, kid of the key; empty for `all`. */
  readonly subject: string;
  /** As it was named. */
  readonly target: string;
  readonly reason?: string;
  /** Name of whoever set it. */
  readonly by: string;
  readonly at: Instant;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface StopRepository {
  /** Raises an alarm with it. False where one stands already: that one stays as it is. */
  put(scope: TenantScope, stop: Stop): Promise<boolean>;
  /** Ends a stop by how it was named, and with it its alarm. The stop that was ended; nothing where none stood. */
  lift(scope: TenantScope, target: string, by: string): Promise<Stop | undefined>;
  /** Whether a key of this id signs for us, is registered for a caller, or was seen. */
  knowsKey(scope: TenantScope, kid: string): Promise<boolean>;
  /** The oldest first. */
  list(scope: TenantScope): Promise<readonly Stop[]>;
}

/**
 * Whether a stop holds now, for whoever is about to do what it forbids. What it answers is a second old at most, in each
 * process. `all` holds every seller. Rejects where it cannot be known: then nothing may leave.
 */
export type IsStopped = (organizationId: string, kind: StopKind, subject: string) => Promise<boolean>;

const kinds: ReadonlySet<string> = new Set<StopKind>(['seller', 'principal', 'key']);

/** Reads what a person named. A name is at most 200 characters and has no white space. */
export function readStopTarget(text: string): Result<StopTarget, string> {
  if (text === 'all') return ok({ kind: 'all', name: '' });
  const [kind = '', ...rest] = text.split(':');
  const name = rest.join(':');
  if (!kinds.has(kind) || !/^\S{1,200}$/.test(name))
    return err('A target is seller:SLUG, principal:ID, key:KID or all.');
  return ok({ kind: kind as StopKind, name });
}
