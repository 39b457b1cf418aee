import type { JsonObject, Result } from '@switchyard/values';
import type { Finding } from './losses/finding.js';
import type { TaskError } from './errors/task-error.js';
import type { TaskStatus } from './entities/task/task-status.js';
import type { Dialect, Form, WireProfile } from './versions/wire-profile.js';

/** Numbers whose text a double cannot hold, by JSON pointer: what `parseStrictJson` kept beside the value. */
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
 * Where the permission for a task is looked for. `of_its_task`: in the area of the task that it asks about, which is
 * known once that has been found.
 */
export type TaskArea = PermissionArea | 'of_its_task';
export type PermissionKind = 'read' | 'write' | 'delete' | 'approve';

/** What a seller's message held, with what was set aside and why. */
export interface ReadAnswer<Answer> {
  readonly answer: Answer;
  /** Items that did not conform, each with its reason: shown, never passed on. */
  readonly setAside: readonly Finding[];
}

/** A request in a seller's wire profile. */
export interface ProjectedRequest {
  readonly args: JsonObject;
  /** What of the request has no place there. */
  readonly findings: readonly Finding[];
  /** Why a seller of that form cannot be asked this at all. `args` is then what is left of it, and is never sent. */
  readonly unsayable?: TaskError;
}

/**
 * One task of the protocol: its row in the table and its four translations.
 *
 * `readRequest` and `projectAnswer` face a buyer, `projectRequest` and `readAnswer` face a seller. The same spec
 * serves a sandbox seller the other way round.
 */
export interface TaskSpec<Request, Answer> {
  /** The name in the `ads` dialect where the two differ only by segment; the canonical name elsewhere. */
  readonly name: string;
  readonly names: Readonly<Record<Dialect, readonly [string, ...string[]]>>;
  readonly access: 'public' | 'limited' | 'credentials';
  readonly kind: 'read' | 'mutation';
  readonly area: TaskArea;
  readonly permission: PermissionKind;
  /** True for a mutation that is about no single account: several of them are then no ambiguity. */
  readonly isForNoAccount?: true;
  /** Which sellers can serve it. `platform`: we answer it ourselves. */
  readonly serves: 'sales' | 'signals' | 'platform';
  /** Longest wait for the whole market, in milliseconds. */
  readonly deadlineMs: number;
  /** True where a seller may answer `submitted`. */
  readonly mayBeAsync: boolean;
  /** JSON Schema (2020-12) of the arguments, complete: clients drop what it does not name. */
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

/** One answer of a seller at the level of the task, before its payload is read. */
export interface SellerReply {
  readonly status: TaskStatus;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly message?: string;
  readonly replayed: boolean;
  readonly payload: JsonObject;
  /** Fatal errors: present exactly when `status` is `failed`, `rejected`, or an errors arm of `input-required`. */
  readonly errors: readonly TaskError[];
}

export interface CallerVersion {
  readonly profile: WireProfile;
  /** The release that the answer is given in, for example `3.1`; absent for forms without one. */
  readonly served?: string;
}

export type { Form };
