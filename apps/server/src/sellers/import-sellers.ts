import { defined, err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure, SellerDraft } from '../platform/failure.js';
import { itemJob } from '../platform/jobs/item-job.js';
import type { Immutable } from '../platform/routes/route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { ImportSlots, originOf } from './import-slots.js';
import type { AdmitSeller } from './gate/admit-seller.js';
import { onboardSeller, type OnboardingDeps } from './onboarding/onboard-seller.js';
import { draftOf, sellerRequest } from './seller-request.js';

export interface ImportDeps {
  readonly admit: AdmitSeller;
}

/** What brings in the sellers that the holder of this process names at its start. */
interface SeedDeps extends OnboardingDeps {
  /** True for addresses of the sandbox that this instance started: their sellers are marked as sandbox sellers. */
  readonly isSandboxUrl: (agentUrl: string) => boolean;
}

/** The result of one row of an import, in the order of the request. */
export const importedSeller = z.strictObject({
  slug: z.string(),
  state: z
    .enum(['live', 'waiting', 'needs_person', 'failed'])
    .describe(
      'waiting: another person must approve it. needs_person: its checks wait for a choice or a credential. failed: a check failed, or the row was refused.',
    ),
  code: z.string().exactOptional(),
  reason: z.string().exactOptional(),
});
export type ImportedSeller = Immutable<z.output<typeof importedSeller>>;

/** The import as a job. */
export const sellerImport = itemJob<ImportDeps>()({
  name: 'import_sellers',
  title: 'Import of sellers',
  needs: 'sellers.write',
  waitsFor: 'sellers',
  item: sellerRequest,
  nameOf: ({ slug }) => slug,
  groupOf: ({ agent_url: url }) => originOf(url),
  atOnce: 8,
  run: async (deps, caller, item) => {
    const draft = draftOf(item);
    const imported = await inSlot(deps, caller, draft);
    draft.token?.wipe();
    const { state, code = 'NOT_LIVE', reason = 'It did not go live.' } = imported;
    return state === 'live' ? ok(undefined) : err({ code, message: reason });
  },
});

/** Resolves once the checks of every row have ended. An existing slug is updated, not refused. */
export async function importSellers(
  deps: ImportDeps,
  caller: PrincipalCaller,
  drafts: readonly SellerDraft[],
): Promise<Result<readonly ImportedSeller[], AdminFailure>> {
  const refused = slugTwice(drafts);
  if (refused !== undefined) return err(refused);
  return ok(await Promise.all(drafts.map((draft) => inSlot(deps, caller, draft))));
}

/** Refuses a list that names a seller twice. */
export function slugTwice(rows: readonly { readonly slug: string }[]): AdminFailure | undefined {
  const seen = new Set<string>();
  const twice = rows.find(({ slug }) => seen.size === seen.add(slug).size);
  return twice && { code: 'INVALID_REQUEST', message: `The slug ${twice.slug} appears twice.` };
}

const slots = new ImportSlots();

function inSlot(deps: ImportDeps, caller: PrincipalCaller, draft: SellerDraft): Promise<ImportedSeller> {
  return slots.run(caller.organizationId, originOf(draft.agentUrl), () => importOne(deps, caller, draft));
}

async function importOne(
  { admit }: ImportDeps,
  caller: PrincipalCaller,
  draft: SellerDraft,
): Promise<ImportedSeller> {
  const { slug } = draft;
  const added = await admit(caller, draft);
  if (!added.ok) return { slug, state: 'failed', code: added.error.code, reason: added.error.message };
  const { state, code, reason = 'It did not go live.' } = added.value;
  return state === 'live' ? { slug, state } : { slug, state, reason, ...defined({ code }) };
}

/**
 * Brings in sellers without the checks of the gate: for the practice market at the start of this process, and for no
 * request.
 */
export async function seedSellers(
  deps: SeedDeps,
  caller: PrincipalCaller,
  drafts: readonly SellerDraft[],
): Promise<Result<readonly ImportedSeller[], AdminFailure>> {
  const refused = slugTwice(drafts);
  if (refused !== undefined) return err(refused);
  const seed = async (draft: SellerDraft): Promise<ImportedSeller> => {
    const { slug } = draft;
    const added = await onboardSeller(deps, caller, draft, deps.isSandboxUrl(draft.agentUrl));
    if (!added.ok) return { slug, state: 'failed', code: added.error.code, reason: added.error.message };
    const { state, stateReason = 'It did not go live.' } = added.value;
    return state === 'live' ? { slug, state } : { slug, state: 'failed', reason: stateReason };
  };
  return ok(
    await Promise.all(
      drafts.map((draft) => slots.run(caller.organizationId, originOf(draft.agentUrl), () => seed(draft))),
    ),
  );
}
