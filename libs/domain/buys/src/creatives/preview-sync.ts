import {
  syncCreatives as task,
  taskNameAt,
  type CreativeAtSeller,
  type SyncCreativesAnswer,
  type TaskError,
  profileOf,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { ok, type Result } from '@switchyard/values';
import { callSeller } from '../call/call-seller.js';
import { deriveKey } from '../model/keys.js';
import type { LegSecrets } from '../model/ports.js';
import type { CreativeNotes } from '../model/creative-library.js';
import { withBuyerIds } from '../model/buyer-creative-ids.js';
import type { CreativeLeg } from './plan-creatives.js';
import { plan, projectSync } from './sync-creatives.js';
import type { CreativePorts } from '../model/creative-ports.js';
import type { CreativeMutation } from '../model/creative-ports.js';

type Note = CreativeNotes['findings'][number];

interface Previewed {
  readonly seller: string;
  readonly rows: readonly CreativeAtSeller[];
  readonly byId: ReadonlyMap<string, CreativeAtSeller>;
  readonly findings: readonly Note[];
}

/**
 * Returns what a sync would do and writes nothing, neither here nor at a seller (`dry_run`).
 *
 * A seller is called only if its tool names `dry_run`, because a seller that ignores the member would perform
 * the sync. For any other, and so for every seller over A2A, where arguments are not listed, the answer comes
 * from the local plan, with a finding.
 */
export async function previewSync(
  ports: CreativePorts,
  mutation: CreativeMutation,
): Promise<Result<SyncCreativesAnswer, readonly TaskError[]>> {
  const planned = await plan(ports, mutation);
  if (!planned.ok) return planned;
  const { legs, notes } = planned.value;
  const operationId = ports.ids.uuid();
  const sellers = legs.map(({ connection }) => connection).filter(knowsTheWord);
  const secrets =
    sellers.length === 0
      ? ok(new Map<string, LegSecrets>())
      : await ports.lease(mutation.scope, sellers, { operationId, purpose: task.name });
  const stop = new AbortController();
  const cancel = ports.clock.after(mutation.deadlineMs, () => stop.abort());
  const previews = await Promise.all(
    legs.map((leg) =>
      queryOne(ports, mutation, {
        leg,
        secrets: secrets.ok ? secrets.value.get(leg.connection.id) : undefined,
        call: { operationId, signal: stop.signal },
      }),
    ),
  ).finally(cancel);
  return ok({
    dryRun: true,
    findings: [...notes.findings, ...previews.flatMap(({ findings }) => findings)],
    creatives: [
      ...notes.creatives.map((note) => ({
        ...note,
        changes: [],
        errors: [],
        assignedTo: [],
        sellers: previews.flatMap(({ byId }) => byId.get(note.creativeId) ?? []),
      })),
      ...notes.archived.map((creativeId) => ({
        creativeId,
        action: 'deleted' as const,
        changes: [],
        errors: [],
        warnings: [],
        assignedTo: [],
        assignmentErrors: {},
      })),
    ],
  });
}

function knowsTheWord({ dialect, tools }: Connection): boolean {
  return tools?.[taskNameAt(task, dialect, tools)]?.includes('dry_run') === true;
}

async function queryOne(
  ports: CreativePorts,
  mutation: CreativeMutation,
  {
    leg,
    secrets,
    call,
  }: {
    readonly leg: CreativeLeg;
    readonly secrets: LegSecrets | undefined;
    readonly call: { readonly operationId: string; readonly signal: AbortSignal };
  },
): Promise<Previewed> {
  const { connection } = leg;
  const notPreviewed = (why: string): Previewed =>
    previewed(leg, new Map(), [
      {
        code: 'DRY_RUN_NOT_ASKED',
        message: `The seller ${connection.slug} ${why}.`,
        seller: connection.slug,
      },
    ]);
  if (!knowsTheWord(connection)) return notPreviewed('does not say that it knows dry_run');
  if (connection.credentialId !== undefined && secrets?.credential === undefined)
    return notPreviewed('could not be asked without our credential');
  if (leg.creatives.length === 0) return notPreviewed('has nothing to preview');
  const key =
    secrets?.keySecret === undefined
      ? undefined
      : deriveKey(secrets.keySecret, {
          principalId: mutation.principalId,
          task: task.name,
          buyerKey: '',
          operationId: call.operationId,
        });
  // Deletions are previewed from the local plan: `delete_missing` is never sent in a preview.
  const { args, findings } = projectSync(
    mutation,
    { ...leg, missing: [] },
    { dryRun: true, ...(key === undefined ? {} : { idempotencyKey: key }) },
  );
  const use = { operationId: call.operationId, purpose: task.name };
  const signer = ports.signerFor?.(mutation.scope, mutation.principalId, use);
  const to = {
    connection,
    ...(secrets?.credential === undefined ? {} : { credential: secrets.credential }),
    ...(signer === undefined ? {} : { signer }),
  };
  const reported = await callSeller(ports.transport, to, { task: task.name, args }, call.signal);
  const profile = profileOf(connection);
  const payload = reported.ok ? withBuyerIds(reported.value.reply.payload, connection.id) : undefined;
  const read = payload === undefined ? undefined : task.readAnswer(payload, profile);
  if (read?.ok !== true) return notPreviewed('did not answer the preview');
  const rows = new Map(read.value.answer.creatives.map((row) => [row.creativeId, row]));
  const seen = new Map(
    leg.creatives.flatMap(({ creativeId }): readonly [string, CreativeAtSeller][] => {
      const row = rows.get(creativeId);
      if (row === undefined) return [];
      const reason = row.errors[0]?.message;
      const at: CreativeAtSeller = {
        seller: connection.slug,
        status: 'not_synced',
        action: row.action,
        ...(reason === undefined ? {} : { reason }),
      };
      return [[creativeId, at]];
    }),
  );
  return previewed(
    leg,
    seen,
    findings.map((finding) => ({ ...finding, seller: connection.slug })),
  );
}

function previewed(
  leg: CreativeLeg,
  seen: ReadonlyMap<string, CreativeAtSeller>,
  findings: readonly Note[],
): Previewed {
  const seller = leg.connection.slug;
  const byId = new Map(
    leg.creatives.map(({ creativeId }): [string, CreativeAtSeller] => [
      creativeId,
      seen.get(creativeId) ?? { seller, status: 'not_synced' },
    ]),
  );
  return { seller, rows: [...byId.values()], byId, findings };
}
