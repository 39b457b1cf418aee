import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import type { JobFiles } from '@switchyard/store';
import { err, isJsonObject, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import {
  ofOrganization,
  startedJob,
  WrittenAnswer,
  type AnyRoute,
  type CheckedRequest,
  type Route,
  type RouteAnswer,
} from '../routes/route.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { jobsOn, type JobFailure, type JobKind, type JobUnit, type UnitEnd } from './job-kind.js';
import { sightOf } from './sight.js';
import type { JobStarter } from './start-job.js';

/** A request as its job does it. Its form and its permission were checked when the job was started. */
export interface JobRequest extends Pick<CheckedRequest, 'begunAt'> {
  readonly caller: PrincipalCaller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

export interface RequestJobDeps {
  /** Runs the handler of the row with this id. */
  readonly runRow: (id: string, request: JobRequest) => Promise<RouteAnswer>;
  readonly jobFiles: JobFiles;
  readonly clock: Clock;
}

/** How long the file of a job is kept, in milliseconds: a week. */
const fileKeptMs = 7 * 24 * 3_600_000;
/** The largest file, in bytes as it is stored: compressed. The request itself answers with more, and stores nothing. */
const storedAtMost = 1_000_000_000;
const partBytes = 256 * 1024;
/** Bytes between two words about progress. */
const bytesPerWord = 2_000_000;

/** `async` as a member of a query. */
export const respondAsync = z
  .literal('async')
  .exactOptional()
  .describe('async: answer 202 with a job, which does it.');

/**
 * Rows, of which some have requests that a job can do as well: their handler then runs in a worker, with the rights of who
 * asked, and the answer is the job's file. A row that reads gets another row, `POST` at the same path, that starts the
 * job; any other row starts it where its query says `respond=async`.
 */
export function withJobs<Deps extends { readonly jobStarter: JobStarter }>(
  rows: readonly Route<Deps>[],
): readonly Route<Deps>[] {
  return rows.flatMap((row) => (row.asJob === undefined ? [row] : withJob(row)));
}

function withJob<Deps extends { readonly jobStarter: JobStarter }>(row: Route<Deps>): readonly Route<Deps>[] {
  const [kind] = requestKinds([row]);
  if (kind === undefined) throw new TypeError(`${row.id} names no permission that its job could need.`);
  const start: Route<Deps>['handle'] = (deps, { caller, params, query, body }) => {
    if (caller === 'local') throw new TypeError(`${row.id} takes no admin secret.`);
    return deps.jobStarter.start(kind, caller, { input: { params, query, body } });
  };
  if (row.method === 'get') {
    const { example: _example, inParts: _inParts, asJob: _asJob, ...same } = row;
    const starts = { id: `start_${row.id}`, summary: `${row.summary}, as the file of a job` };
    const answers = { answer: startedJob, status: 202, mayStartJob: true } as const;
    return [row, ofOrganization({ ...same, ...starts, ...answers, method: 'post', handle: start })];
  }
  const query = (row.query ?? z.strictObject({})).extend({ respond: respondAsync });
  const handle: Route<Deps>['handle'] = (deps, request) => {
    const { respond, ...own } = (request.query ?? {}) as { readonly respond?: 'async' };
    const asked = { ...request, query: row.query === undefined ? undefined : own };
    return respond === 'async' ? start(deps, asked) : row.handle(deps, asked);
  };
  return [ofOrganization({ ...row, query, handle, mayStartJob: true })];
}

const input = z.strictObject({
  params: z.record(z.string(), z.string()),
  query: z.unknown().optional(),
  body: z.unknown().optional(),
});

type RequestKind = JobKind<RequestJobDeps> & { readonly input: typeof input };

/** The kinds of jobs that do requests of these rows. */
export function requestKinds(rows: readonly AnyRoute[]): readonly RequestKind[] {
  return rows.flatMap(({ id: name, needs, asJob, byPerson = false }) => {
    if (asJob === undefined || needs === 'a_credential' || needs === 'own_session') return [];
    const { title, waitsFor = 'files' } = asJob;
    return jobsOn<RequestJobDeps>()({
      ...{ name, title, needs, waitsFor, byPerson, input },
      cursor: z.strictObject({}),
      first: {},
      unit: (deps, job) => answered(deps, name, job),
    });
  });
}

type NoCursor = Record<string, never>;
type Unit = JobUnit<z.output<typeof input>, NoCursor>;

async function answered(
  deps: RequestJobDeps,
  id: string,
  job: Unit,
): Promise<Result<UnitEnd<NoCursor>, JobFailure>> {
  const { params, query, body } = job.input;
  await job.save({ cursor: {}, done: 0, phase: 'working' });
  const { caller, begunAt } = job;
  const again = begunAt === undefined ? {} : { begunAt };
  const answer = await deps.runRow(id, { caller, params, query, body, ...again });
  if (!answer.ok) return err(failureOf(answer.error));
  const file = new AnswerFile(deps, job);
  try {
    const { value } = answer;
    if (value instanceof WrittenAnswer) await value.writeTo((part) => file.write(part));
    else await file.write(JSON.stringify(value));
    await file.end();
  } catch (error) {
    file.close();
    if (error instanceof FileStopped) return ok({ progress: { cursor: {}, done: file.kilobytes } });
    if (error instanceof FileTooLarge) return err(tooLarge);
    throw error;
  }
  const result: JsonObject = { bytes: file.bytes, sha256: file.sha256 };
  return ok({ progress: { cursor: {}, done: file.kilobytes, total: file.kilobytes }, result });
}

const tooLarge: JobFailure = {
  code: 'TOO_LARGE',
  message: 'The answer is larger than a job stores. Read it with the request that answers in parts.',
};

/** A failure that another attempt may mend is thrown, and so repeated. */
function failureOf(failure: unknown): JobFailure {
  const {
    code = 'FAILED',
    message = '',
    suggestion,
    recovery,
  } = isJsonObject(failure)
    ? (failure as { code?: string; message?: string; suggestion?: string; recovery?: string })
    : {};
  if (recovery === 'transient') throw new Error(`${code}: ${message}`);
  return { code, message: [message, suggestion].filter(Boolean).join(' ') };
}

/** The job was canceled, its lease lost, or the process stops. */
class FileStopped extends Error {}
class FileTooLarge extends Error {}

/** Writes an answer into the parts of a file, compressed. */
class AnswerFile {
  bytes = 0;
  sha256 = '';
  readonly #digest = createHash('sha256');
  readonly #gzip = createGzip();
  #waiting: Buffer[] = [];
  #held = 0;
  #stored = 0;
  #position = -1;
  #told = 0;
  #fault: Error | undefined;

  constructor(
    private readonly deps: RequestJobDeps,
    private readonly job: Unit,
  ) {
    this.#gzip.on('data', (chunk: Buffer) => {
      this.#waiting.push(chunk);
      this.#held += chunk.length;
    });
    this.#gzip.on('error', (error) => (this.#fault = error));
  }

  /** Of the answer, rounded up. */
  get kilobytes(): number {
    return Math.ceil(this.bytes / 1_000);
  }

  async write(text: string): Promise<void> {
    const part = Buffer.from(text, 'utf8');
    this.bytes += part.length;
    this.#digest.update(part);
    if (!this.#gzip.write(part)) await once(this.#gzip, 'drain');
    if (this.#held >= partBytes) await this.#store();
    if (this.bytes - this.#told < bytesPerWord) return;
    this.#told = this.bytes;
    this.#check(await this.job.save({ cursor: {}, done: this.kilobytes, phase: 'writing, in kilobytes' }));
  }

  async end(): Promise<void> {
    this.#gzip.end();
    await once(this.#gzip, 'end');
    await this.#store();
    this.sha256 = this.#digest.digest('hex');
    const { scope, lease } = this.job;
    if (!(await this.deps.jobFiles.finish(scope, lease, this))) throw new FileStopped();
  }

  close(): void {
    this.#gzip.destroy();
  }

  async #store(): Promise<void> {
    const { jobFiles, clock } = this.deps;
    const { scope, lease, caller, stopped } = this.job;
    if (this.#fault !== undefined) throw this.#fault;
    if (stopped.aborted) throw new FileStopped();
    const content = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#held = 0;
    this.#stored += content.length;
    if (this.#stored > storedAtMost) throw new FileTooLarge();
    const about = { madeFor: sightOf(caller), endsAt: clock.now() + fileKeptMs };
    if (this.#position < 0 && !(await jobFiles.begin(scope, lease, about))) throw new FileStopped();
    this.#position += 1;
    if (!(await jobFiles.add(scope, lease, this.#position, content))) throw new FileStopped();
  }

  #check(word: Awaited<ReturnType<Unit['save']>>): void {
    if (word !== 'go_on') throw new FileStopped();
  }
}
