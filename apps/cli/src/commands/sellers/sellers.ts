import type { Command } from 'commander';
import { err, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, type Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { jsonIn, readFileBytes } from '../../read-input.js';
import { atInstance, onInstance, withTarget, type At } from '../../target.js';
import { registerAddSellers } from './add-seller.js';
import { registerFindSellers } from './find-sellers.js';
import { followJob, startedJob } from '../jobs.js';
import { imported, importSellerFile, startsArray, type ImportFileOptions } from './import-file.js';
import { registerSellerCalendar } from './seller-calendar.js';
import { registerSellerLife } from './seller-life.js';

/** `sellers list`, `sellers add`, `sellers import`, and the changes of a seller. */
export function registerSellers(program: Command, deps: CliDeps): void {
  const sellers = program.command('sellers').description('list, onboard, change and remove sellers');
  registerFindSellers(sellers, deps);
  registerAddSellers(sellers, deps);
  registerSellerLife(sellers, deps);
  registerSellerCalendar(sellers, deps);
  withTarget(withPages(sellers.command('list')))
    .description('list all sellers and their state')
    .option('--failing', 'only those that are not live, do not answer, refuse our credential or are stopped')
    .action(atInstance(deps, list));
  withTarget(sellers.command('import'))
    .description(
      'add several sellers. An array of them: waits until all are live. Other files: shows what it names; with --yes adds it by a job',
    )
    .argument(
      '<file>',
      'JSON array, table (CSV, XLSX), mcpServers, adagents.json, sellers.json or ads.txt; - for standard input',
    )
    .option('--yes', 'add the sellers of a file that is no array, without looking at them before')
    .option('--job', 'do not wait: print the job that onboards them')
    .action(printing(deps, importAll));
}

function list(at: At<PageOptions & { readonly failing?: true }>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/sellers',
    name: 'sellers',
    query: { failing: at.options.failing === true ? 'true' : undefined },
    columns: {
      Seller: 'slug',
      State: ({ state, credential_fault: fault }) =>
        fault === undefined ? cell(state) : `${cell(state)}, credential ${cell(fault)}`,
      Sells: (row) => (Array.isArray(row['kinds']) ? row['kinds'].map(cell).join(', ') : ''),
      Speaks: (row) => spokenBy(row),
      Address: 'agent_url',
      Reason: 'reason',
    },
    none: 'There are no sellers yet. Add one with: npx switchyard sellers add URL',
  });
}

/** The list marks a seller whose webhooks are not signed, because auditors ask for those. */
function spokenBy(seller: JsonObject): string {
  const { protocol, dialect, form, legacy_webhooks: legacy, report_webhooks: reports } = seller;
  const spoken = `${cell(protocol)} ${cell(dialect)} ${cell(form)}`;
  if (typeof legacy === 'string') return `${spoken}, webhooks by ${legacy}`;
  if (reports === 'none') return `${spoken}, no reports by webhook`;
  return reports === 'hmac-sha256' ? `${spoken}, reports by ${reports}` : spoken;
}

/** More sellers than these are imported by a job, which goes on if this command or the server is stopped. */
const mostInRequest = 200;

async function importAll(deps: CliDeps, path: string, options: ImportFileOptions): Promise<Outcome> {
  const read = await readFileBytes(deps, path);
  if (!read.ok) return read;
  if (!startsArray(read.value)) return importSellerFile(deps, read.value, options);
  const file = jsonIn(path, read.value);
  if (!file.ok) return file;
  if (!Array.isArray(file.value.value)) return err({ message: `${path} holds no JSON array of sellers.` });
  const count = file.value.value.length;
  return onInstance(deps, options, async (instance) => {
    deps.stderr.write(`Onboarding ${count} sellers ...\n`);
    const isLeft = options.job === true;
    const path = `/v1/sellers/import${isLeft || count > mostInRequest ? '?respond=async' : ''}`;
    const answer = await instance.post(path, file.value.bytes);
    if (!answer.ok) return answer;
    const { job_id: jobId } = answer.value;
    if (typeof jobId === 'string' && isLeft) return startedJob(answer.value);
    if (typeof jobId === 'string') return imported(await followJob(deps, instance, jobId));
    const sellers = objectsIn(answer.value['sellers']);
    const others = sellers.filter((seller) => seller['state'] !== 'live');
    const text = `${sellers.length - others.length} of ${sellers.length} sellers are live.`;
    if (others.length === 0) return ok({ json: sellers, text });
    const named = others.map((seller) => `${cell(seller['slug'])}: ${cell(seller['reason'])}`).join('\n');
    const isIn = (state: string): boolean => others.some((seller) => seller['state'] === state);
    // What waits for a person is no failure, and one that waits for approval needs nothing of whoever imported it.
    const exit = isIn('needs_person') ? { exit: 6 as const } : {};
    if (!isIn('failed')) return ok({ json: sellers, text: `${text}\nNot live yet:\n${named}`, ...exit });
    return ok({ json: sellers, text, failed: `Not live:\n${named}` });
  });
}
