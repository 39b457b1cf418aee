import {
  judgeContent,
  readContentBatch,
  readVerdicts,
  recordsOf,
  type Connection,
  type ContentFailure,
  type DeliveredContent,
  type OwnedThing,
  type TouchedPackage,
} from '@switchyard/sellers';
import type {
  CaseChanges,
  GovernanceCase,
  GovernanceCases,
  GovernedThings,
  InboxWork,
} from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { err, isJsonObject, isoOf, ok, parseStrictJson, type Result } from '@switchyard/values';
import { sellerTarget, type InspectDeps } from '../onboarding/inspect-seller.js';

export interface ContentDeps {
  readonly cases: Pick<GovernanceCases, 'save' | 'runningOn' | 'askedAbout'>;
  readonly things: Pick<GovernedThings, 'find'>;
  /** Where the content that sellers gave us is, without what opens its assets. */
  readonly inbox: Pick<InboxWork, 'bodyOf'>;
  readonly ports: InspectDeps;
}

/** How long all questions of one batch may take, in milliseconds. */
const checksMs = 30_000;
/** Records of one question, and bytes of its answer. */
const recordsAtOnce = 100;
const mostBytes = 1_000_000;
/** After that time a batch that could not be checked is tried again, in milliseconds. */
const againMs = 60 * 60_000;
/** How long a person may answer; what was asked about is not asked about again before, in milliseconds. */
const answerWithinMs = 24 * 60 * 60_000;

/**
 * Has the agent of the standards check what a seller pushed, and asks a person where a policy that binds is not kept, or too
 * much fails (docs/protocol/governance.md#content-beside-ads).
 */
export async function checkContent(
  deps: ContentDeps,
  scope: TenantScope,
  found: GovernanceCase,
  owner: Connection | undefined,
): Promise<void> {
  const { cases, ports } = deps;
  const { changes, id, rightsId: subject } = found;
  const contents = await contentsOf(deps, scope, changes?.batch);
  const thing: OwnedThing = { kind: 'content_standards', subject, agentUrl: owner?.agentUrl ?? '' };
  const verdicts =
    owner === undefined
      ? err('its agent is not connected any more')
      : contents.ok
        ? await ask(ports, scope, owner, {
            subject,
            buyId: changes?.batch?.media_buy_id ?? '',
            of: contents.value,
          })
        : contents;
  const now = ports.clock.now();
  if (!verdicts.ok || !contents.ok) {
    const problem = verdicts.ok ? 'its event is not stored any more' : verdicts.error;
    const isOver = !contents.ok || now >= found.effectiveAt;
    const action = { at: isoOf(now), act: 'could not be checked', detail: problem };
    const isNew = changes?.problem !== problem || isOver;
    return cases.save(
      scope,
      id,
      {
        state: isOver ? 'done' : 'open',
        changes: { ...changes, problem },
        actions: isNew ? [action] : [],
        ...(!isOver && { nextAt: now + againMs }),
      },
      now,
    );
  }
  const entries = (await deps.things.find(scope, thing))?.read?.entries ?? [];
  const { why, packageIds, ...checked } = judgeContent(contents.value, verdicts.value, entries);
  const { problem: _problem, ...before } = changes ?? {};
  const running = why === undefined ? [] : await cases.runningOn(scope, thing);
  const touched = running.filter((item) => isTouched(item, changes?.batch, packageIds));
  const about = { kind: found.kind, subject, connectionId: owner?.id ?? '', isBinding: checked.binding > 0 };
  const asked = touched.length === 0 ? undefined : await cases.askedAbout(scope, about, now - answerWithinMs);
  const isAsked = touched.some(({ packageId }) => asked?.packageIds.includes(packageId) === false);
  const act = why === undefined ? 'checked' : isAsked ? 'checked: a person is asked' : notAsked(touched);
  await cases.save(
    scope,
    id,
    {
      state: isAsked ? 'asked' : 'done',
      reason: why ?? `${String(checked.sent)} contents were checked, ${String(checked.failed)} failed.`,
      changes: { ...before, checked: { at: isoOf(now), ...checked } },
      actions: [{ at: isoOf(now), act }],
      ...(isAsked && { buys: touched, effectiveAt: now + answerWithinMs, nextAt: now }),
    },
    now,
  );
}

const notAsked = (touched: readonly TouchedPackage[]): string =>
  touched.length === 0 ? 'checked: nothing runs with it' : 'checked: a person was asked within a day';

function isTouched(
  { mediaBuyId, packageId, seller }: TouchedPackage,
  batch: CaseChanges['batch'],
  packageIds: readonly string[] | undefined,
): boolean {
  if (mediaBuyId !== batch?.media_buy_id || seller !== batch.seller) return false;
  return packageIds === undefined || packageIds.some((id) => packageId === `${seller}:${id}`);
}

async function contentsOf(
  { inbox }: ContentDeps,
  scope: TenantScope,
  batch: CaseChanges['batch'],
): Promise<Result<readonly DeliveredContent[], string>> {
  const stored = batch && (await inbox.bodyOf(scope, batch.event_id));
  const parsed = stored && parseStrictJson(stored);
  const body = parsed?.ok === true && isJsonObject(parsed.value.value) ? parsed.value.value : undefined;
  const contents = body && readContentBatch(body)?.contents;
  if (contents === undefined) return err('its event is not stored any more');
  return contents.length === 0 ? err('none of it says its property, its id and its assets') : ok(contents);
}

/** Asks for verdicts with our credential at the agent, some records at a time. */
async function ask(
  deps: InspectDeps,
  scope: TenantScope,
  owner: Connection,
  {
    subject,
    buyId,
    of,
  }: { readonly subject: string; readonly buyId: string; readonly of: readonly DeliveredContent[] },
): Promise<Result<{ readonly failed: number; readonly failures: readonly ContentFailure[] }, string>> {
  const target = await sellerTarget(deps, scope, owner);
  if (target === undefined) return err('our credential for its agent cannot be used now');
  const stop = new AbortController();
  const cancel = deps.clock.after(checksMs, () => stop.abort());
  const failures: ContentFailure[] = [];
  let failed = 0;
  try {
    for (let first = 0; first < of.length; first += recordsAtOnce) {
      const records = recordsOf(of.slice(first, first + recordsAtOnce), buyId, first);
      const args = { standards_id: subject, records: [...records], include_passed: false };
      const call = { tool: 'validate_content_delivery', args, maxAnswerBytes: mostBytes };
      const answered = await deps.transport.call(target, call, stop.signal);
      if (!answered.ok) return err(answered.error.message.slice(0, 300));
      if (answered.value.isError) return err('its agent refused to check it');
      const read = readVerdicts(answered.value.payload, records.length, first);
      if (!read.ok) return read;
      failed += read.value.failed;
      failures.push(...read.value.failures);
    }
    return ok({ failed, failures });
  } finally {
    cancel();
  }
}
