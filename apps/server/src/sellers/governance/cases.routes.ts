import { lists, type CaseAction, type GovernanceCases } from '@switchyard/store';
import { err, isoOf, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../../platform/failure.js';
import { shownRow } from '../../platform/routes/declared-view.js';
import { instant, reasonText } from '../../platform/routes/fields.js';
import { askedToPause, isAboutRights, openedAgain } from './act-on-cases.js';
import { organizationWide } from '../../platform/routes/list-filters.js';
import { resource, type ListDeps } from '../../platform/routes/resource.js';
import { routesOn } from '../../platform/routes/route.js';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';

interface CasesDeps extends ListDeps {
  readonly governance: GovernanceCases;
  readonly clock: Clock;
}

const missing: AdminFailure = { code: 'NOT_FOUND', message: 'There is no case with this id.' };

const declared = resource(lists.caseList, {
  noun: 'case',
  plural: 'cases',
  area: 'sellers',
  summary: 'Cases of governance: what agents that decide have taken back, and what was done about it',
  views: {
    buys: z.array(
      z.strictObject({
        media_buy_id: z.string(),
        package_id: z.string(),
        seller: z.string(),
        creative_ids: z.array(z.string()),
      }),
    ),
    changes: z.strictObject({
      told: z
        .strictObject({
          added: z.int().exactOptional(),
          removed: z.int().exactOptional(),
          total: z.int().exactOptional(),
          valid_until: instant.exactOptional(),
        })
        .exactOptional(),
      read: z
        .strictObject({
          at: instant,
          total: z.int(),
          added: z.int().exactOptional(),
          removed: z.int().exactOptional(),
          added_entries: z.array(z.string()).exactOptional(),
          removed_entries: z.array(z.string()).exactOptional(),
        })
        .exactOptional(),
      batch: z
        .strictObject({
          event_id: z.string(),
          seller: z.string(),
          media_buy_id: z.string(),
          batch_id: z.string().exactOptional().describe("The seller's own."),
          pushed: z.int(),
        })
        .exactOptional(),
      checked: z
        .strictObject({
          at: instant,
          sent: z.int(),
          failed: z.int(),
          binding: z.int().describe('How many are against a policy that binds.'),
          failures: z.array(
            z.strictObject({
              artifact_id: z.string(),
              property: z.string(),
              package_id: z.string().exactOptional().describe("The seller's own."),
              policies: z.array(z.string()),
              explanation: z.string().exactOptional(),
            }),
          ),
        })
        .exactOptional(),
      problem: z.string().exactOptional(),
    }),
    actions: z.array(
      z.strictObject({
        at: instant,
        act: z.string(),
        media_buy_id: z.string().exactOptional(),
        outcome: z.string().exactOptional(),
        detail: z.string().exactOptional(),
      }),
    ),
  },
  example: {
    case_id: '3c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d12',
    kind: 'rights_revoked',
    subject: 'grant-2026-17',
    owner: 'voices',
    state: 'acting',
    reason: 'The contract with the speaker has ended.',
    deadline: '2026-11-29T12:00:00.000Z',
    buys: [
      {
        media_buy_id: 'mb_311e5ca0-845f-4765',
        package_id: 'acme:p1',
        seller: 'acme',
        creative_ids: ['spring-15s'],
      },
    ],
    actions: [
      {
        at: '2026-11-29T12:00:01.000Z',
        act: 'withdraw',
        media_buy_id: 'mb_311e5ca0-845f-4765',
        outcome: 'completed',
      },
    ],
    created_at: '2026-11-29T12:00:00.000Z',
    updated_at: '2026-11-29T12:00:01.000Z',
  },
  show: { summary: 'One case', missing },
  command: {
    title: 'cases: what agents that decide have taken back',
    summary: 'list cases, newest first',
    columns: {
      Kind: 'kind',
      About: 'subject',
      Owner: 'owner',
      State: 'state',
      Deadline: 'deadline',
      Case: 'case_id',
    },
    none: 'There are no cases.',
  },
});

const route = routesOn<CasesDeps>();

/** Cases of governance (docs/protocol/governance.md). */
export const caseRoutes = [
  ...declared.routes,
  route({
    method: 'post',
    path: '/v1/cases/{id}/act',
    id: 'act_on_case',
    summary: 'Act on a case now, close one that was asked about, or open one again',
    needs: 'sellers.write',
    byPerson: true,
    body: z.strictObject({
      act: z
        .enum(['withdraw', 'close', 'reopen', 'pause', 'keep'])
        .describe(
          'Of rights, withdraw: at once instead of before the deadline; close: a person has seen to the rest. Of others, pause or keep what runs.',
        ),
      reason: reasonText,
    }),
    answer: declared.view,
    example: declared.example,
    handle: async (deps, { caller, params: { id }, body: { act, reason } }) => {
      const narrow = organizationWide(caller, 'sellers', 'write');
      if (narrow !== undefined) return err(narrow);
      const found = isUuid(id) ? await deps.governance.find(caller, id) : undefined;
      if (found === undefined) return err(missing);
      const next = steps[act];
      const isFor = (next.of === 'rights') === isAboutRights(found);
      if (!isFor || !next.from.some((state) => state === found.state))
        return err(conflict(act, found.kind, found.state));
      const now = deps.clock.now();
      const action: CaseAction = { at: isoOf(now), act: next.word, detail: reason };
      const when = next.isDue ? { nextAt: now } : {};
      await deps.governance.save(caller, id, { state: next.to, actions: [action], ...when }, now);
      return shown(deps, caller, id);
    },
  }),
];

async function shown(
  deps: CasesDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<z.output<typeof declared.view>, AdminFailure>> {
  const row = await deps.lists.one(caller, lists.caseList, { kind: 'everything' }, id);
  return row === undefined ? err(missing) : ok(declared.view.parse(shownRow(lists.caseList, row)));
}

const steps = {
  withdraw: {
    from: ['open', 'acting', 'asked'],
    of: 'rights',
    to: 'acting',
    isDue: true,
    word: 'asked to act now',
  },
  close: { from: ['asked'], of: 'rights', to: 'done', isDue: false, word: 'closed by a person' },
  reopen: { from: ['done'], of: 'rights', to: 'acting', isDue: true, word: openedAgain },
  pause: { from: ['asked', 'done'], of: 'list', to: 'acting', isDue: true, word: askedToPause },
  keep: { from: ['asked', 'acting'], of: 'list', to: 'done', isDue: false, word: 'kept by a person' },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly from: readonly string[];
      readonly of: 'rights' | 'list';
      readonly to: string;
      readonly isDue: boolean;
      readonly word: string;
    }
  >
>;

const conflict = (act: string, kind: string, state: string): AdminFailure => ({
  code: 'CONFLICT',
  message: `A case of the kind ${kind} in the state ${state} does not take the act ${act}.`,
  field: 'act',
});
