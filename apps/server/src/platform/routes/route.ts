import type { ExactNumbers, PermissionArea, PermissionKind, TaskError } from '@switchyard/protocol';
import type { JobWait } from '@switchyard/store';
import type { permissionTable } from '@switchyard/tenancy';
import { err, type Instant, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../failure.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import type { DeclaredList } from './declared-list.js';
import { organizationWide } from './list-filters.js';

type Table = typeof permissionTable;

/** An area with a permission to read. */
export type ReadableArea = {
  [Area in keyof Table]: 'read' extends Table[Area][number] ? Area : never;
}[keyof Table];

/** A permission as text: `sellers.read`. Only those that the permission table has. */
export type Permission = { [Area in keyof Table]: `${Area}.${Table[Area][number]}` }[keyof Table];

type ParametersOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never;

/** The same value as read-only: repositories answer read-only values, and so do routes. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: Immutable<T[Member]> }
    : T;

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** A principal, or the holder of the data folder's admin secret. */
export type AdminCaller = PrincipalCaller | 'local';

/** The input of a handler: a caller whose permission was checked, and a request that fits its schemas. */
interface RouteRequest<Path, Query, Body, Caller> {
  readonly caller: Caller;
  readonly params: Readonly<Record<ParametersOf<Path>, string>>;
  readonly query: Parsed<Query>;
  readonly body: Parsed<Body>;
  /** The raw body, for a route that takes bytes. */
  readonly bytes?: Buffer;
  /** Numbers of the body in their original text, by JSON pointer. */
  readonly exact?: ExactNumbers;
  /** When the job was begun that runs this request again: what was done since then may be its own. */
  readonly begunAt?: Instant;
}

/**
 * An answer that is written in parts, because it can be larger than memory. `write` sends a part and resolves when the
 * reader can take the next one; it rejects when the reader has disconnected or stopped reading.
 */
export class WrittenAnswer {
  constructor(readonly writeTo: (write: (part: string) => Promise<void>) => Promise<void>) {}
}

/**
 * The answer 202 of a route that changes a control: another person must approve it first
 * (docs/security/model.md#changes-of-controls).
 */
export class WaitsForApproval {
  constructor(private readonly id: string) {}

  body(): z.output<typeof waitsForApproval> {
    return { approval_id: this.id, state: 'open' };
  }
}

/** Its schema. */
export const waitsForApproval = z
  .strictObject({
    approval_id: z.string().describe('Of `GET /v1/approvals/{id}`.'),
    state: z.literal('open'),
  })
  .meta({ id: 'waiting_approval' });

/** The answer 202 of a route whose work takes longer than a request: a job does it (`GET /v1/jobs/{id}`). */
export class StartedJob {
  constructor(readonly id: string) {}

  get location(): string {
    return `/v1/jobs/${this.id}`;
  }

  body(): z.output<typeof startedJob> {
    return { job_id: this.id, state: 'waiting' };
  }
}

/** Its schema. */
export const startedJob = z
  .strictObject({
    job_id: z.string().describe('Of `GET /v1/jobs/{id}`.'),
    state: z.literal('waiting'),
  })
  .meta({ id: 'started_job' });

/** How a job does the request of a row; its kind has the id of the row. */
export interface AsJob {
  /** Of the job, for people: `Export of the ledger`. */
  readonly title: string;
  /** `files` unless set. */
  readonly waitsFor?: JobWait;
}

/** One route: its address, its permission, its input and answer, and its handler. */
interface RouteSpec<Deps, Path, Query, Body, Answer, Local> {
  readonly method: 'get' | 'post' | 'delete';
  /** In OpenAPI syntax: parameters in braces. */
  readonly path: Path;
  /** Its name in `/openapi.json` and in logs. */
  readonly id: string;
  readonly summary: string;
  /**
   * `a_credential`: any principal may call it, with any permissions. `own_session`: a person with a browser session
   * that has all permissions of the person, so that no token and no program can add a sign-in.
   */
  readonly needs: Permission | 'a_credential' | 'own_session';
  /**
   * A program that acts for a person is refused, whatever its scopes, although they may give it the permission. Of
   * permissions that no scope gives this need not be said (docs/security/model.md#programs-that-a-person-lets-in).
   */
  readonly byPerson?: true;
  /** Its objects belong to the whole organization: who has the permission for a part of it alone is refused. */
  readonly isOfOrganization?: true;
  /** The holder of the data folder's admin secret may call it as well; the handler gets `local` as caller. */
  readonly takesAdminSecret?: Local;
  /** Without it the query is not read. */
  readonly query?: Query;
  /** Without it the body is not read. */
  readonly body?: Body;
  /** An example body for `/openapi.json`, where one made of the schema alone would be refused. */
  readonly bodyExample?: Body extends z.ZodType ? Immutable<z.input<Body>> : never;
  /** The body is bytes of any type instead of JSON, with this maximum length. */
  readonly takesBytes?: number;
  /** A strict schema: specs refuse an answer with a member that it does not declare. */
  readonly answer: Answer;
  /** An example answer for `/openapi.json`. */
  readonly example?: Immutable<Parsed<Answer>>;
  /** The status of a successful answer; 200 unless set. */
  readonly status?: 201 | 202;
  /** It changes a control: if another person must approve that, it answers 202 with `waitsForApproval`. */
  readonly mayWait?: true;
  /** Its answer can be larger than memory: it answers with a `WrittenAnswer`. */
  readonly inParts?: true;
  /** It may leave its work to a job: then it answers 202 with `startedJob`. */
  readonly mayStartJob?: true;
  /** A job can do it too, and `withJobs` around the list says how that is asked for. */
  readonly asJob?: AsJob;
  /** It changes nothing although it is not a GET, so no act is recorded. */
  readonly readsOnly?: true;
  /** Its answer shows a secret that is shown once: of it only ids are kept under an Idempotency-Key. */
  readonly showsOnce?: true;
  /** Members of the body that take a secret or trust material; a credential anywhere else is refused unread. */
  readonly secretsTaken?: readonly string[];
  readonly handle: (
    deps: Deps,
    request: RouteRequest<Path, Query, Body, Local extends true ? AdminCaller : PrincipalCaller>,
  ) => Promise<
    Result<
      Immutable<Parsed<Answer>> | WrittenAnswer | WaitsForApproval | StartedJob,
      AdminFailure | TaskError
    >
  >;
}

/** A route without the types of its schemas, as the table holds it. */
export interface Route<Deps> extends Omit<
  RouteSpec<Deps, string, z.ZodObject, z.ZodType, z.ZodType, boolean>,
  'handle' | 'example' | 'bodyExample'
> {
  readonly example?: unknown;
  readonly bodyExample?: unknown;
  /** The list that `resource` made the route of. */
  readonly declared?: DeclaredList;
  readonly handle: (deps: Deps, request: CheckedRequest) => Promise<RouteAnswer>;
}

/** A row of any noun, for code that does not run its handler. */
export type AnyRoute = Route<never>;

/** Runs the handler of a route. The HTTP layer gets this function, without the dependencies of the routes. */
export type RunRoute = (route: AnyRoute, request: CheckedRequest) => Promise<RouteAnswer>;

/** A request that fits the schemas of its route. */
export interface CheckedRequest {
  readonly caller: AdminCaller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly bytes?: Buffer;
  readonly exact?: ExactNumbers;
  readonly begunAt?: Instant;
}

/** `TaskError`: a route that runs a task refuses with the task's error. */
export type RouteAnswer = Result<unknown, AdminFailure | TaskError>;

/**
 * Returns the function that makes routes. `handle` is checked against the path and schemas of its own row: an unknown
 * parameter, a wrong member of the query or answer, and a permission that does not exist are type errors.
 */
export function routesOn<Deps>() {
  return <
    const Path extends string,
    Answer extends z.ZodType,
    Query extends z.ZodObject | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
    Local extends boolean = false,
  >(
    spec: RouteSpec<Deps, Path, Query, Body, Answer, Local>,
  ): Route<Deps> => ofOrganization(spec as unknown as Route<Deps>);
}

/** The same row; where its objects are the organization's, its handler runs for who holds its permission in all of it. */
export function ofOrganization<Deps>(row: Route<Deps>): Route<Deps> {
  const { needs, isOfOrganization, handle } = row;
  if (isOfOrganization !== true) return row;
  if (needs === 'a_credential' || needs === 'own_session')
    throw new TypeError(
      `${row.id} is of the organization, and names no permission that could be held in all of it.`,
    );
  const [area, kind] = needs.split('.') as [PermissionArea, PermissionKind];
  return {
    ...row,
    handle: async (deps, request) => {
      const narrow = request.caller === 'local' ? undefined : organizationWide(request.caller, area, kind);
      return narrow === undefined ? handle(deps, request) : err(narrow);
    },
  };
}
