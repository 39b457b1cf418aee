import { readClientCertificate } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure, SellerDraft } from '../../platform/failure.js';
import { secretOf } from '../../platform/routes/fields.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';

/** A chain with its private key; ten certificates of a usual size fit. */
export const certificateText = z.string().min(1).max(65_536);

export interface CertificateDeps {
  readonly domainOf: (scope: TenantScope) => Promise<string>;
  readonly clock: Clock;
}

/** What of a seller's draft is our certificate there; nothing without one. */
export async function certificateIn(
  { domainOf, clock }: CertificateDeps,
  caller: PrincipalCaller,
  pem: string | undefined,
): Promise<Result<Pick<SellerDraft, 'token' | 'tokenScheme' | 'tokenEndsAt'>, AdminFailure>> {
  if (pem === undefined) return ok({});
  const read = readClientCertificate(pem, { domain: await domainOf(scopeOf(caller)), now: clock.now() });
  if (!read.ok) return err({ code: 'INVALID_REQUEST', message: read.error, field: 'certificate' });
  return ok({ token: secretOf(pem), tokenScheme: 'certificate', tokenEndsAt: read.value.endsAt });
}
