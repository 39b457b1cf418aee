import { pushesOf, submittedTask } from '../agent/submitted-task.js';
import type { Agent } from '../agent/agent.js';
import { takesFormat } from './formats.js';
import {
  compact,
  isObject,
  listOf,
  objectOf,
  sortedText,
  textOf,
  textsOf,
  type JsonObject,
} from '../json.js';
import { statusOf } from './library.js';
import type { LibraryCreative } from './library-creative.js';
import { done, refusal, refusalBody, refuse, type Outcome, type Refusal } from '../agent/outcome.js';
import { provenanceFault } from './provenance.js';
import { accountNamed } from '../accounts/seller-account.js';
import { readPush } from '../webhooks/read-webhooks.js';
import type { TaskPush } from '../agent/seller-task.js';
import type { NativeCall } from '../agent/tool.js';
import { assignedTo } from '../buys/update-media-buy.js';

interface Synced {
  readonly row: JsonObject;
  readonly creative?: LibraryCreative;
  /** Why it was not taken, unless it is its format. */
  readonly fault?: Refusal;
}

/** Adds creatives to this seller's library: at once, or after a person has reviewed them. */
export function syncCreatives(agent: Agent, args: JsonObject, native?: NativeCall): Outcome {
  const service = agent.personality.form === 'service';
  const given = listOf(args['creatives']);
  if (given === undefined) return refuse('INVALID_REQUEST', 'creatives is required', 'creatives');
  if (!service && objectOf(args['account']) === undefined)
    return refuse('INVALID_REQUEST', 'account is required', 'account');
  if (!service && textOf(args['idempotency_key']) === undefined)
    return refuse('INVALID_REQUEST', 'idempotency_key is required', 'idempotency_key');
  const push = readPush(agent.personality.form, args['push_notification_config']);
  if (push && 'errors' in push) return { status: 'failed', ...push };

  const packages = assignmentsOf(args);
  const synced = given.map((value, at) =>
    syncOne(agent, objectOf(value) ?? {}, packages, `creatives[${String(at)}]`),
  );
  const gone = args['delete_missing'] === true ? missing(agent, synced) : [];
  const rows = [
    ...synced.map(({ row }) => row),
    ...gone.map(({ creativeId }) => ({ creative_id: creativeId, action: 'deleted' })),
  ];
  if (args['dry_run'] === true) return done({ dry_run: true, creatives: rows });
  const failed = synced.find(({ creative }) => creative === undefined);
  if (failed !== undefined && args['validation_mode'] !== 'lenient') {
    const message = `the creative ${textOf(failed.row['creative_id']) ?? ''} is in no format of this seller`;
    const error = failed.fault ?? refusal('CREATIVE_REJECTED', message, 'creatives');
    return { status: 'failed', errors: [error] };
  }
  const update = updateFor(agent, args, push);
  const stored = [
    ...synced.flatMap(({ creative }) => (creative ? [{ ...creative, ...update }] : [])),
    ...gone,
  ];
  const entry = { creatives: stored, assigned: assignedTo(agent, stored) };
  if (agent.personality.approval === 'at-once') return done({ creatives: rows }, entry);
  const task = submittedTask(
    { agent, args, native, pushes: pushesOf(push, native?.push) },
    {
      taskType: 'sync_creatives',
      steps: [{ afterMs: 2500 * agent.scale, state: 'completed' }],
      creatives: { ids: stored.map(({ creativeId }) => creativeId), rows },
    },
  );
  const status = service ? 'pending' : 'submitted';
  const body = { status, task_id: task.taskId, message: 'A person at the seller will look at them.' };
  return { status: 'submitted', body, entry: { task, ...entry } };
}

/** Adds one creative; the words `review` and `reject` in its name request a person's verdict. */
function syncOne(
  agent: Agent,
  value: JsonObject,
  packages: ReadonlyMap<string, readonly string[]>,
  at: string,
): Synced {
  const creativeId = textOf(value['creative_id']) ?? '';
  const formatId = objectOf(value['format_id']);
  if (creativeId === '' || formatId === undefined || !takesFormat(agent, formatId)) {
    const message = 'this seller takes no such format';
    const errors =
      agent.personality.form === 'service' ? [message] : [{ code: 'CREATIVE_REJECTED', message }];
    return { row: { creative_id: creativeId, action: 'failed', errors } };
  }
  const fault = provenanceFault(agent.personality, value, at);
  if (fault !== undefined)
    return { row: { creative_id: creativeId, action: 'failed', errors: [refusalBody(fault)] }, fault };
  const now = agent.now();
  const before = agent.books.creatives.get(creativeId);
  const wanted = packages.get(creativeId) ?? [];
  const known = wanted.filter((id) => hasPackage(agent, id));
  const name = textOf(value['name']) ?? creativeId;
  const assets = objectOf(value['assets']) ?? {};
  const isSame =
    before !== undefined &&
    before.status !== 'archived' &&
    sortedText({ n: before.name, a: before.assets }) === sortedText({ n: name, a: assets });
  const creative: LibraryCreative = {
    creativeId,
    name,
    formatId,
    assets,
    tags: textsOf(value['tags']) ?? [],
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    packages: [...new Set([...(before?.packages ?? []), ...known])],
    ...(isSame ? stateOf(before) : firstState(agent, name, now)),
  };
  const lost = wanted.filter((id) => !known.includes(id));
  const row = compact({
    creative_id: creativeId,
    action: before === undefined ? 'created' : isSame ? 'unchanged' : 'updated',
    status: agent.personality.form === '3.1' ? statusOf(creative, now) : undefined,
    assigned_to: known.length === 0 ? undefined : [...known],
    assignment_errors:
      lost.length === 0 ? undefined : Object.fromEntries(lost.map((id) => [id, 'no such package'])),
  });
  return { row, creative };
}

/** Webhooks about creatives exist since release 3.1, only signed. They go to the address that came with the creatives. */
function updateFor(
  agent: Agent,
  args: JsonObject,
  push: TaskPush | undefined,
): Pick<LibraryCreative, 'notify' | 'accountId'> {
  const account = objectOf(args['account']) ?? {};
  const known = accountNamed(agent.books.accounts.values(), account);
  const ofAccount = known === undefined ? {} : { accountId: known.accountId };
  if (agent.personality.form !== '3.1' || push === undefined || push.secret !== undefined) return ofAccount;
  const accountId =
    known?.accountId ?? textOf(account['account_id']) ?? textOf(objectOf(account['brand'])?.['domain']) ?? '';
  return {
    ...ofAccount,
    notify: { url: push.url, subscriberId: push.operationId?.slice(0, 64) ?? 'sync', accountId },
  };
}

function stateOf({ status, verdict }: LibraryCreative): Pick<LibraryCreative, 'status' | 'verdict'> {
  return { status, ...(verdict === undefined ? {} : { verdict }) };
}

function firstState(agent: Agent, name: string, now: number): Pick<LibraryCreative, 'status' | 'verdict'> {
  const at = now + 2000 * agent.scale;
  if (/reject/i.test(name))
    return { status: 'pending_review', verdict: { at, status: 'rejected', reason: 'It breaks our rules.' } };
  if (/review/i.test(name)) return { status: 'pending_review', verdict: { at, status: 'approved' } };
  const isReviewed = agent.personality.approval !== 'at-once';
  return isReviewed
    ? { status: 'pending_review', verdict: { at, status: 'approved' } }
    : { status: 'approved' };
}

function hasPackage(agent: Agent, packageId: string): boolean {
  return [...agent.books.buys.values()].some((buy) =>
    buy.packages.some((part) => part.packageId === packageId),
  );
}

function missing(agent: Agent, synced: readonly Synced[]): readonly LibraryCreative[] {
  const sent = new Set(synced.map(({ row }) => row['creative_id']));
  return [...agent.books.creatives.values()]
    .filter((creative) => creative.status !== 'archived' && !sent.has(creative.creativeId))
    .map((creative) => ({ ...creative, status: 'archived', updatedAt: agent.now() }));
}

/** Both shapes: package ids by creative, or a list of pairs. */
function assignmentsOf(args: JsonObject): ReadonlyMap<string, readonly string[]> {
  const byCreative = new Map<string, string[]>();
  const add = (creative: string, id: string | undefined): void => {
    if (id !== undefined) byCreative.set(creative, [...(byCreative.get(creative) ?? []), id]);
  };
  for (const item of listOf(args['assignments']) ?? []) {
    if (isObject(item)) add(textOf(item['creative_id']) ?? '', textOf(item['package_id']));
  }
  for (const [creative, ids] of Object.entries(objectOf(args['assignments']) ?? {}))
    for (const id of listOf(ids) ?? []) add(creative, textOf(id));
  return byCreative;
}
