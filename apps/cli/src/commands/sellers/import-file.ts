import { ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import type { CliFailure, Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { onInstance, type TargetOptions } from '../../target.js';
import { followJob, startedJob, type EndedJob } from '../jobs.js';

export interface ImportFileOptions extends TargetOptions {
  readonly yes?: boolean;
  readonly job?: boolean;
}

/** Whether the bytes are a JSON array: its rows have all that is known of a seller, and are added at once. */
export function startsArray(bytes: Buffer): boolean {
  const start = bytes
    .subarray(0, 1_000)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  return start.trimStart().startsWith('[');
}

/** The preview of a file of another program; with `--yes` the job that adds what it names. */
export function importSellerFile(deps: CliDeps, bytes: Buffer, options: ImportFileOptions): Promise<Outcome> {
  const isWorkbook = bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004';
  const file = isWorkbook ? { base64: bytes.toString('base64') } : { text: bytes.toString('utf8') };
  return onInstance(deps, options, async (instance) => {
    const preview = await instance.post('/v1/sellers/import/preview', { file });
    if (!preview.ok) return preview;
    const shown = previewText(deps, preview.value);
    if (options.yes !== true)
      return ok({ json: preview.value, text: `${shown}\nNothing was added. Add them with: --yes` });
    deps.stderr.write(`${shown}\n`);
    const answer = await instance.post('/v1/sellers/import/file', { file });
    if (!answer.ok) return answer;
    const { job_id: jobId } = answer.value;
    if (options.job === true || typeof jobId !== 'string') return startedJob(answer.value);
    return imported(await followJob(deps, instance, jobId));
  });
}

function previewText(deps: CliDeps, preview: JsonObject): string {
  const sellers = objectsIn(preview['sellers']);
  const rows = sellers.map(({ at, slug, input, has_credential: has, is_known: known, note }) => [
    at,
    known === true ? `${cell(slug)} (here already)` : slug,
    input,
    has === true ? 'in the file' : 'none',
    note,
  ]);
  const left = objectsIn(preview['left_out']).map(({ at, why }) => `Left out: ${cell(at)}. ${cell(why)}`);
  return [table(deps, ['Where', 'Seller', 'Agent or domain', 'Credential', 'Note'], rows), ...left].join(
    '\n',
  );
}

/** What has become of the sellers of a job. */
export function imported(ended: Result<EndedJob, CliFailure>): Outcome {
  if (!ended.ok) return ended;
  const { job, faults } = ended.value;
  const { done, total, state } = job;
  const live = Number(done) - faults.length;
  const text = `${live} of ${cell(total)} sellers are live.`;
  const json = { ...job, failed_items: faults };
  if (state === 'succeeded' && faults.length === 0) return ok({ json, text });
  const named = faults.map((fault) => `${cell(fault['item'])}: ${cell(fault['message'])}`).join('\n');
  const why = state === 'succeeded' ? '' : `The import ended after ${cell(done)} of them: ${cell(state)}.\n`;
  return ok({ json, text, failed: `${why}Not live:\n${named}` });
}
