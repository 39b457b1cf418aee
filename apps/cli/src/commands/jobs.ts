import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import type { InstanceClient } from '../instance-client.js';
import type { CliFailure, Outcome } from '../outcome.js';
import { getPages, listed, tableOf, withPages, type PageOptions } from '../pages.js';
import { cell } from '../plain.js';
import { request } from '../request-command.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../target.js';

/** How often a job is read while it is followed, in milliseconds. */
const readEveryMs = 1_000;

/** `jobs list`, `jobs show`, `jobs file`, `jobs cancel` and `jobs retry`. */
export function registerJobs(program: Command, deps: CliDeps): void {
  const jobs = program.command('jobs').description('long work: how far it is, what failed, stop and go on');
  withTarget(withPages(jobs.command('list')))
    .description('list jobs, newest first')
    .action(atInstance(deps, list));
  withTarget(jobs.command('show'))
    .description('show a job, and the items that failed')
    .argument('<id>', 'job id')
    .action(atInstance(deps, show));
  withTarget(jobs.command('file'))
    .description('print the answer of the request that a job did; it is deleted a week after it was begun')
    .argument('<id>', 'job id')
    .action(atInstance(deps, (at: At, id: string) => downloaded(at.instance, filePath(id), deps.stdout)));
  request(jobs, deps, 'cancel <id>', {
    describe: 'stop a job; what is done stays done',
    of: 'job id',
    route: 'POST /v1/jobs/{id}/cancel',
    text: lineOf,
  });
  request(jobs, deps, 'retry <id>', {
    describe: 'go on with a job that failed or was canceled, and repeat the items that failed',
    of: 'job id',
    route: 'POST /v1/jobs/{id}/retry',
    text: lineOf,
  });
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/jobs',
    name: 'jobs',
    columns: {
      Job: 'job_id',
      What: 'title',
      State: stateOf,
      Done: doneOf,
      Failed: 'faults',
      'Started by': 'started_by',
      Started: 'created_at',
    },
    none: 'No job matches.',
  });
}

async function show({ deps, instance }: At, id: string): Promise<Outcome> {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  const found = await instance.get(path);
  if (!found.ok) return found;
  const faults = await getPages(instance, { path: `${path}/faults`, name: 'faults' }, {}, { all: true });
  if (!faults.ok) return faults;
  const { rows } = faults.value;
  const table = tableOf(deps, { Item: 'item', Code: 'code', Reason: 'message' }, rows);
  const text = rows.length === 0 ? lineOf(found.value) : `${lineOf(found.value)}\n${table}`;
  return ok({ json: { ...found.value, failed_items: rows }, text });
}

/** A job in one line. */
function lineOf(job: JsonObject): string {
  const { error } = job;
  const why = isJsonObject(error) ? `: ${cell(error['message'])}` : '';
  return `${cell(job['title'])} ${cell(job['job_id'])}: ${stateOf(job)}, ${doneOf(job)} done, ${cell(job['faults'])} failed${why}`;
}

const stateOf = ({ state, cancel_requested_at: canceled, phase }: JsonObject): string => {
  if (state === 'running' && canceled !== undefined) return 'stopping';
  const isOpen = state === 'running' || state === 'waiting';
  return isOpen && phase !== undefined ? `${cell(state)} (${cell(phase)})` : cell(state);
};

const doneOf = ({ done, total }: JsonObject): string =>
  total === undefined ? cell(done) : `${cell(done)} of ${cell(total)}`;

/** What is shown of an answer that left its work to a job. */
export function startedJob({ job_id: id, ...answer }: JsonObject): Outcome {
  const text = `Started as job ${cell(id)}. See it with: switchyard jobs show ${cell(id)}`;
  return ok({ json: { job_id: id, ...answer }, text });
}

/** The options of a command whose work a job can do. */
export interface JobOptions extends TargetOptions {
  readonly follow?: boolean;
  readonly job?: boolean;
}

export const withFollow = (command: Command): Command =>
  command.option('--follow', 'do it as a job, and say on standard error how far it is');

export const withJob = (command: Command): Command =>
  withFollow(command).option('--job', 'do it as a job, and do not wait: print the job');

/**
 * The answer to a request whose work a job can do, without `body` one that reads: as the server gives it, or once
 * `--follow` was asked for the result or the file of the job. `shown`: what is printed instead, because nobody waits.
 */
export async function answerOrJob(
  deps: CliDeps,
  instance: InstanceClient,
  options: JobOptions,
  request: { readonly path: string; readonly body?: JsonObject },
): Promise<Result<{ readonly answer: JsonObject } | { readonly shown: Outcome }, CliFailure>> {
  const { path, body } = request;
  const started = await jobOf(deps, instance, options, request);
  if (started === undefined) {
    const answer = await (body === undefined ? instance.get(path) : instance.post(path, body));
    return answer.ok ? ok({ answer: answer.value }) : answer;
  }
  if (!started.ok) return started;
  if ('shown' in started.value) return ok(started.value);
  const { result, file, job_id: id } = started.value.job;
  if (!isJsonObject(file)) return ok({ answer: isJsonObject(result) ? result : {} });
  const answer = await instance.get(filePath(cell(id)));
  return answer.ok ? ok({ answer: answer.value }) : answer;
}

/** The same for an answer that can be larger than memory: it is written to `out` as it arrives. */
export async function downloadOrJob(
  { deps, instance, options }: At<JobOptions>,
  path: string,
  out: Writable = deps.stdout,
): Promise<Outcome> {
  const started = await jobOf(deps, instance, options, { path });
  if (started === undefined) return downloaded(instance, path, out);
  if (!started.ok) return started;
  if ('shown' in started.value) return started.value.shown;
  return downloaded(instance, filePath(cell(started.value.job['job_id'])), out);
}

async function downloaded(instance: InstanceClient, path: string, out: Writable): Promise<Outcome> {
  const written = await instance.download(path, out);
  return written.ok ? ok({ json: undefined, text: '' }) : written;
}

const filePath = (id: string): string => `/v1/jobs/${encodeURIComponent(id)}/file`;

/** The job that has done a request; undefined unless `--follow` or `--job` asked for one. */
async function jobOf(
  deps: CliDeps,
  instance: InstanceClient,
  { follow, job }: JobOptions,
  { path, body }: { readonly path: string; readonly body?: JsonObject },
): Promise<Result<{ readonly job: JsonObject } | { readonly shown: Outcome }, CliFailure> | undefined> {
  if (follow !== true && job !== true) return undefined;
  const started = await instance.post(body === undefined ? path : `${path}?respond=async`, body ?? {});
  if (!started.ok) return started;
  const id = cell(started.value['job_id']);
  if (job === true) return ok({ shown: startedJob(started.value) });
  const ended = await followJob(deps, instance, id);
  if (!ended.ok) return ended;
  const { state, error } = ended.value.job;
  if (state === 'succeeded') return ok({ job: ended.value.job });
  const why = isJsonObject(error) ? cell(error['message']) : `The job ${id} was canceled.`;
  return err({ message: why, hint: `switchyard jobs show ${id}`, body: ended.value.job });
}

/** A job that has ended, and its failed items. */
export interface EndedJob {
  readonly job: JsonObject;
  readonly faults: readonly JsonObject[];
}

/** Waits until a job has ended, and writes to standard error how far it is. */
export async function followJob(
  deps: CliDeps,
  instance: InstanceClient,
  id: string,
): Promise<Result<EndedJob, CliFailure>> {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  for (let told = ''; ;) {
    const read = await instance.get(path);
    if (!read.ok) return read;
    const line = `${doneOf(read.value)} done, ${cell(read.value['faults'])} failed`;
    if (line !== told) deps.stderr.write(`${line}\n`);
    told = line;
    if (typeof read.value['ended_at'] === 'string') {
      const faults = await getPages(instance, { path: `${path}/faults`, name: 'faults' }, {}, { all: true });
      return faults.ok ? ok({ job: read.value, faults: faults.value.rows }) : faults;
    }
    await pause(readEveryMs);
  }
}
