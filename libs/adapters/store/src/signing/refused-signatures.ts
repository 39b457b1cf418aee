import { randomUUID } from 'node:crypto';
import type { VerificationStep } from '@switchyard/signing';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';

/** A signed message that was refused, and why: no header values, no body, no query. */
export interface RefusedSignature {
  /** True if nothing that could be checked identified the sender. */
  readonly isStranger: boolean;
  readonly code: string;
  readonly keyid?: string;
  readonly agentUrl?: string;
  readonly principalName?: string;
  readonly method: string;
  readonly path: string;
  readonly steps: readonly VerificationStep[];
  readonly refusedAt: Instant;
}

export interface RefusedSignatures {
  /**
   * Stores one. An organization keeps the newest `strangersAtMost` of unknown senders, and all of known senders until
   * they expire.
   */
  store(scope: TenantScope, refused: RefusedSignature): Promise<void>;
  /** Deletes refusals before an instant. Returns how many. */
  purge(scope: TenantScope, before: Instant): Promise<number>;
}

const listed = 500;

/** The default number of unknown senders fills the longest list. */
export function refusedSignatures(store: Store, strangersAtMost = listed): RefusedSignatures {
  return {
    store: (scope, refused) =>
      store.inTenantModels(scope, async ({ refused_signature: table }) => {
        await table.create({ data: rowOf(scope, refused) });
        if (!refused.isStranger) return;
        const beyond = await table.findMany({
          where: { is_stranger: true },
          orderBy: [{ refused_at: 'desc' }, { id: 'desc' }],
          skip: strangersAtMost,
          select: { id: true },
        });
        if (beyond.length > 0) await table.deleteMany({ where: { id: { in: beyond.map(({ id }) => id) } } });
      }),
    purge: (scope, before) =>
      store.inTenantModels(
        scope,
        async ({ refused_signature: table }) =>
          (await table.deleteMany({ where: { refused_at: { lt: new Date(before) } } })).count,
      ),
  };
}

function rowOf({ organizationId }: TenantScope, refused: RefusedSignature) {
  return {
    id: randomUUID(),
    organization_id: organizationId,
    is_stranger: refused.isStranger,
    code: refused.code,
    keyid: refused.keyid ?? null,
    agent_url: refused.agentUrl ?? null,
    principal_name: refused.principalName ?? null,
    method: refused.method,
    path: refused.path,
    steps: refused.steps.map((step) => ({ ...step })),
    refused_at: new Date(refused.refusedAt),
  };
}
