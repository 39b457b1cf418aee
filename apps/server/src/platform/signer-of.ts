import type { Egress } from '@switchyard/sellers';
import { isPublishedTestKey } from '@switchyard/signing';
import type { RequestSigner } from '@switchyard/tenancy';
import { err, isJsonObject, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { AdminFailure } from '../application/admin.js';
import type { SignerDraft } from '../application/identity.js';

export interface SignerParts {
  readonly egress: Pick<Egress, 'checkUrl'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** For the local profile alone. */
  readonly trustsTestKeys?: boolean;
}

/** A signer out of what an admin said, or what is wrong with it: an address that is refused, or a private key. */
export async function signerOf(
  { egress, clock, newId, trustsTestKeys }: SignerParts,
  principalId: string,
  draft: SignerDraft,
): Promise<Result<RequestSigner, AdminFailure>> {
  const judged = draft.jwksUri === undefined ? undefined : await egress.checkUrl(draft.jwksUri);
  if (judged?.ok === false)
    return err({ code: 'INVALID_REQUEST', message: judged.error.message, field: 'jwks_uri' });
  if (draft.jwks !== undefined && holdsPrivate(draft.jwks))
    return err({
      code: 'INVALID_REQUEST',
      message: 'A key set holds public keys alone: these have to be replaced, everybody may know them now.',
      field: 'jwks',
    });
  if (!trustsTestKeys && draft.jwks !== undefined && keysIn(draft.jwks).some(isPublishedTestKey))
    return err({
      code: 'INVALID_REQUEST',
      message: 'One of these is a published test key: everybody could sign with it.',
      field: 'jwks',
    });
  return ok({
    id: newId(),
    principalId,
    agentUrl: draft.agentUrl,
    keys:
      draft.jwksUri === undefined
        ? { kind: 'document', jwks: draft.jwks ?? { keys: [] } }
        : { kind: 'address', jwksUri: draft.jwksUri },
    dialect: draft.dialect,
    allowsRsaPss: draft.allowsRsaPss === true,
    createdAt: clock.now(),
  });
}

/** The private members of every kind of key, and of one that is a shared secret. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

function holdsPrivate(jwks: JsonObject): boolean {
  return keysIn(jwks).some((key) => privateMembers.some((name) => Object.hasOwn(key, name)));
}

function keysIn({ keys }: JsonObject): readonly JsonObject[] {
  return Array.isArray(keys) ? keys.filter(isJsonObject) : [];
}
