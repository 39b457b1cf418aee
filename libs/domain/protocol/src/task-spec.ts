import type { JsonObject, Result } from '@switchyard/values';
import type { Finding } from './losses/finding.js';
import type { TaskError } from './errors/task-fault.js';
import type { Dialect, Form, WireProfile } from './versions/wire-profile.js';

/** Exact texts of numbers that a double cannot represent, by JSON pointer, as `parseStrictJson` returns them. */
export type ExactNumbers = ReadonlyMap<string, string>;

export type PermissionArea =
  | 'clients'
  | 'products'
  | 'media_buys'
  | 'creatives'
  | 'reports'
  | 'signals'
  | 'sellers'
  | 'ledger'
  | 'delegations'
  | 'principals';
/**
 * The area in which the permission for a task is checked. `of_its_task`: the area of the task that the request refers
 * to, which is known once that task has been found.
 */
export type TaskArea = PermissionArea | 'of_its_task';

export type PermissionKind = 'read' | 'write' | 'delete' | 'approve';

/** A seller's answer, and the findings about items that were set aside. */
export interface ReadAnswer<Answer> {
  readonly answer: Answer;
  /** Reasons of invalid items. These items are reported and never returned to a buyer. */
  readonly setAside: readonly Finding[];
}

/** A request in a seller's wire profile. */
export interface ProjectedRequest {
  readonly args: JsonObject;
  /** Members of the request that the seller's form does not have. */
  readonly findings: readonly Finding[];
  /** Why the form cannot carry the request at all. `args` is then incomplete and is never sent. */
  readonly notExpressible?: TaskError;
}

/**
 * One task of the protocol: its row in the table and its four projections.
 *
 * `readRequest` and `projectAnswer` are for buyers, `projectRequest` and `readAnswer` for sellers. A sandbox seller
 * uses the same spec in the other direction.
 */
export interface TaskSpec<Request, Answer> {
  /** The name in the `ads` dialect if the two differ by segment only; otherwise the canonical name. */
  readonly name: string;
  readonly names: Readonly<Record<Dialect, readonly [string, ...string[]]>>;
  readonly access: 'public' | 'limited' | 'credentials';
  readonly kind: 'read' | 'mutation';
  readonly area: TaskArea;
  readonly permission: PermissionKind;
  /** True for a mutation that concerns no single account: it is not ambiguous if the caller has several. */
  readonly isForNoAccount?: true;
  /** The sellers that can serve it. `platform`: Switchyard answers it itself. */
  readonly serves: 'sales' | 'signals' | 'platform';
  /** Maximum wait for all sellers, in milliseconds. */
  readonly deadlineMs: number;
  /** True if a seller may answer `submitted`. */
  readonly mayBeAsync: boolean;
  /** The complete JSON Schema (2020-12) of the arguments: clients drop members that it does not name. */
  inputSchema(): JsonObject;
  readRequest(
    args: JsonObject,
    profile: WireProfile,
    exact: ExactNumbers,
  ): Result<Request, readonly TaskError[]>;
  projectRequest(request: Request, to: WireProfile): ProjectedRequest;
  readAnswer(
    payload: JsonObject,
    from: WireProfile,
    exact?: ExactNumbers,
  ): Result<ReadAnswer<Answer>, readonly TaskError[]>;
  projectAnswer(answer: Answer, to: WireProfile): JsonObject;
}

export interface CallerVersion {
  readonly profile: WireProfile;
  /** The release of the answer, for example `3.1`; absent for forms without one. */
  readonly served?: string;
}

export type { Form };
