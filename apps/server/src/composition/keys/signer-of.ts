import type { Egress } from '@switchyard/sellers';
import { isPublishedTestKey } from '@switchyard/signing';
import type { RequestSigner } from '@switchyard/tenancy';
import { err, isJsonObject, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../tasks/ports/admin.js';
import type { SignerDraft } from '../../tasks/ports/identity.js';

export interface SignerDeps {
  readonly egress: Pick<Egress, 'checkUrl'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** For the local profile alone. */
  readonly trustsTestKeys?: boolean;
}

/** A signer out of what an admin said, or what is wrong with it: an address that is refused, or a private key. */
export async function signerOf(
  { egress, clock, newId, trustsTestKeys }: SignerDeps,
  principalId: string,
  draft: SignerDraft,
): Promise<Result<RequestSigner, AdminFailure>> {
  const called = addressOf(draft);
  const judged = called === undefined ? undefined : await egress.checkUrl(called.url);
  if (judged?.ok === false)
    return err({ code: 'INVALID_REQUEST', message: judged.error.message, field: called?.field ?? '' });
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
    keys: keysOf(draft),
    dialect: draft.dialect,
    allowsRsaPss: draft.allowsRsaPss === true,
    createdAt: clock.now(),
  });
}

/** What we shall call for the keys: their own address, or the agent that leads to them. */
function addressOf({
  agentUrl,
  jwksUri,
  jwks,
}: SignerDraft): { readonly url: string; readonly field: string } | undefined {
  if (jwksUri !== undefined) return { url: jwksUri, field: 'jwks_uri' };
  return jwks === undefined ? { url: agentUrl, field: 'agent_url' } : undefined;
}

function keysOf({ jwksUri, jwks, protocol = 'mcp' }: SignerDraft): RequestSigner['keys'] {
  if (jwksUri !== undefined) return { kind: 'address', jwksUri };
  return jwks === undefined ? { kind: 'discovered', protocol } : { kind: 'document', jwks };
}

/** The private members of every kind of key, and of one that is a shared secret. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

function holdsPrivate(jwks: JsonObject): boolean {
  return keysIn(jwks).some((key) => privateMembers.some((name) => Object.hasOwn(key, name)));
}

function keysIn({ keys }: JsonObject): readonly JsonObject[] {
  return Array.isArray(keys) ? keys.filter(isJsonObject) : [];
}
