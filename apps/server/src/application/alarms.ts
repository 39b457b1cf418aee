import type { JsonObject, Result } from '@switchyard/values';
import type { AdminFailure } from './admin.js';
import type { PrincipalCaller } from './task-call.js';

/*
 * The views below leave the house as they stand, so their members carry the names of the wire.
 */

/** Something that a person has to look at. */
export interface AlarmView {
  readonly alarm_id: string;
  readonly kind: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, string | number>>;
  readonly first_at: string;
  readonly last_at: string;
  readonly count: number;
  readonly acknowledged_at?: string;
  readonly acknowledged_by?: string;
  readonly reason?: string;
}

/** A signed message that was refused, with the verdict step by step. */
export interface RefusedSignatureView {
  readonly refusal_id: string;
  readonly code: string;
  readonly method: string;
  readonly path: string;
  readonly refused_at: string;
  readonly keyid?: string;
  readonly agent_url?: string;
  readonly principal?: string;
  /** True when nothing in it that could be checked told whose it was. */
  readonly is_stranger: boolean;
  readonly steps: readonly {
    readonly step: string;
    readonly name: string;
    readonly ok: boolean;
    readonly seen: string;
    /** Of a key that was not found: `failure` and what is known of it. */
    readonly details?: JsonObject;
  }[];
}

/** What went wrong with keys and signatures, for people. */
export interface AlarmsAdmin {
  list(caller: PrincipalCaller, ask: { readonly isOpen?: boolean }): Promise<readonly AlarmView[]>;
  /**
   * Ends an alarm with a reason. `accepts` also takes over what it is about: of a key set at a new address, that
   * address; other kinds have nothing to accept.
   */
  acknowledge(
    caller: PrincipalCaller,
    alarmId: string,
    ask: { readonly reason: string; readonly accepts: boolean },
  ): Promise<Result<AlarmView, AdminFailure>>;
  refusedSignatures(
    caller: PrincipalCaller,
    ask: { readonly code?: string; readonly limit?: number },
  ): Promise<readonly RefusedSignatureView[]>;
}
