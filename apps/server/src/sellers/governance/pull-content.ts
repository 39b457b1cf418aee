import { inAccount, type OperationStore } from '@switchyard/buys';
import { profileOf, projectExtras } from '@switchyard/protocol';
import {
  batchText,
  contentQuestion,
  contentTask,
  pulledBatch,
  type Connection,
  type ConnectionDirectory,
  type ContentBatch,
  type TouchedPackage,
} from '@switchyard/sellers';
import { pulledAnswer, type GovernanceCases, type InboxWork, type Unanswered } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, type Instant } from '@switchyard/values';
import { caseIdOf } from './case-id.js';
import { sellerTarget, type InspectDeps } from '../onboarding/inspect-seller.js';
import { openContentCase } from './open-content-case.js';

export interface PullDeps {
  readonly cases: Pick<GovernanceCases, 'open' | 'askedAbout'>;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly inbox: Pick<InboxWork, 'keepPulled'>;
  readonly ports: InspectDeps & { readonly store: Pick<OperationStore, 'mediaBuy'> };
}

/** How long all questions about one thing may take, in milliseconds, and bytes of one answer. */
const questionsMs = 60_000;
const mostBytes = 2_000_000;
/** Buys that are asked about at once; the others are asked about the next day. */
const mostBuys = 50;
/** The longest period that is asked for, in milliseconds. */
const longestMs = 7 * 86_400_000;

/**
 * Asks the sellers that offer it for the content beside which buys with these standards were delivered since the last time,
 * and has it checked like content that they push (docs/protocol/governance.md#content-beside-ads). Answers since when which of
 * them have not answered: they are asked first the next time, for that period too.
 */
export async function pullContent(
  deps: PullDeps,
  scope: TenantScope,
  {
    standards: { subject, owner },
    running,
    since,
    unanswered: before,
  }: {
    readonly standards: { readonly subject: string; readonly owner: Connection };
    readonly running: readonly TouchedPackage[];
    readonly since: Instant;
    readonly unanswered: Unanswered;
  },
): Promise<Unanswered> {
  const now = deps.ports.clock.now();
  const live = await deps.connections.list(scope);
  const offering = new Map(
    live
      .filter(({ state, tools }) => state === 'live' && Object.hasOwn(tools ?? {}, contentTask))
      .map((connection) => [connection.slug, connection]),
  );
  const parts = new Map(
    running.flatMap(({ mediaBuyId, seller }) => {
      const connection = offering.get(seller);
      if (connection === undefined) return [];
      const key = `${seller} ${mediaBuyId}`;
      const from = Math.max(before[key] ?? since, now - longestMs);
      return [[key, { key, mediaBuyId, connection, from }] as const];
    }),
  );
  const asked = [...parts.values()].toSorted((one, other) => one.from - other.from);
  const unanswered = new Map(asked.map(({ key, from }) => [key, from]));
  const stop = new AbortController();
  const cancel = deps.ports.clock.after(questionsMs, () => stop.abort());
  try {
    for (const { key, mediaBuyId, connection, from } of asked.slice(0, mostBuys)) {
      const batch = await ask(deps, scope, { mediaBuyId, connection, from, until: now }, stop.signal);
      if (batch !== undefined) unanswered.delete(key);
      if (batch === undefined || batch.contents.length === 0) continue;
      const id = caseIdOf(scope, [contentTask, mediaBuyId, connection.id, subject, String(now)]);
      const about = { id, kind: 'pulled_artifacts', receivedAt: now } as const;
      await deps.inbox.keepPulled(scope, pulledAnswer(about, connection, batchText(batch)));
      const reason = `The seller ${connection.slug} was asked for content that is to be checked.`;
      const { pushed } = batch;
      const found = { subject, owner, eventId: id, seller: connection.slug, mediaBuyId, pushed, reason };
      await openContentCase(deps.cases, scope, found, now);
    }
  } finally {
    cancel();
  }
  return Object.fromEntries(unanswered);
}

/** Undefined where the seller does not say it. */
async function ask(
  { ports }: PullDeps,
  scope: TenantScope,
  {
    mediaBuyId,
    connection,
    from,
    until,
  }: {
    readonly mediaBuyId: string;
    readonly connection: Connection;
    readonly from: Instant;
    readonly until: Instant;
  },
  signal: AbortSignal,
): Promise<ContentBatch | undefined> {
  const record = await ports.store.mediaBuy(scope, mediaBuyId);
  const part = record?.sellerBuys.find(({ connectionId }) => connectionId === connection.id);
  if (part?.sellerMediaBuyId === undefined) return undefined;
  const seller = inAccount(connection, part);
  const target = await sellerTarget(ports, scope, seller);
  if (target === undefined) return undefined;
  const { account } = seller;
  const extras = account === undefined ? {} : projectExtras({ account }, profileOf(seller), 'read');
  const { account: named } = extras;
  const args = contentQuestion(part.sellerMediaBuyId, from, until, isJsonObject(named) ? named : undefined);
  const answered = await ports.transport.call(
    target,
    { tool: contentTask, args, maxAnswerBytes: mostBytes },
    signal,
  );
  if (!answered.ok || answered.value.isError) return undefined;
  return pulledBatch(answered.value.payload, part.sellerMediaBuyId);
}
