import {
  firstBeyondPrincipal,
  type AddressDirectory,
  type IdentityDirectory,
  type PrincipalDirectory,
  type VouchedIdentity,
} from '@switchyard/tenancy';
import { err, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { IssuedTokens } from '../platform/caller/issued-tokens.js';
import { httpAddress } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import { beyondFailure, livePrincipal } from './tokens.routes.js';

/** Proves that the registrant of a name owns it. */
export interface ProofDeps {
  /** Verifies a proof of a name; if absent, no proof is valid. */
  readonly issuedTokens?: Pick<IssuedTokens, 'verify'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

interface IdentitiesDeps extends ProofDeps {
  readonly principals: Pick<PrincipalDirectory, 'record' | 'tokens' | 'revokeToken'>;
  readonly identities: Pick<IdentityDirectory, 'add' | 'remove'>;
  readonly addresses: Pick<AddressDirectory, 'forget'>;
}

export const identityRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('jwt'),
    issuer: httpAddress,
    subject: z.string().min(1).max(1024),
    proof: z
      .string()
      .min(1)
      .max(16_384)
      .exactOptional()
      .describe('A token of that issuer about that subject: shows that whoever registers it can get one.'),
  }),
  z.strictObject({
    kind: z.literal('certificate'),
    subject: z
      .string()
      .max(2048)
      .regex(/^(?:dns|uri|email|subject):\S.*$/, 'must begin with dns:, uri:, email: or subject:'),
  }),
]);

/** A name that an external issuer attests. */
export const identity = z.strictObject({
  identity_id: z.string(),
  kind: z.enum(['jwt', 'certificate', 'sign_in']),
  issuer: z.string().exactOptional(),
  subject: z.string(),
});

const route = routesOn<IdentitiesDeps>();

/** Names that external issuers attest. They are listed with their principals. */
export const identityRoutes = [
  route({
    method: 'post',
    path: '/v1/principals/{name}/identities',
    id: 'add_identity',
    summary: 'Accept a certificate, or the tokens of an issuer for a subject, as a principal',
    needs: 'principals.write',
    body: identityRequest,
    answer: identity,
    handle: async (deps, { caller, params, body }) => {
      const found = await livePrincipal(deps, caller, params.name);
      if (!found.ok) return found;
      const beyond = firstBeyondPrincipal(caller, found.value);
      if (beyond !== undefined) return err(beyondFailure(beyond, 'name'));
      const made = await identityOf(deps, found.value.id, body, '');
      if (!made.ok) return made;
      if (!(await deps.identities.add(caller, made.value, caller.principalId)))
        return err(nameTaken('subject'));
      return ok(identityView(made.value));
    },
  }),
  route({
    method: 'delete',
    path: '/v1/identities/{id}',
    id: 'remove_identity',
    summary:
      'Stop accepting a certificate, the tokens of an issuer for a subject, or an account of the provider that people sign in with; that one ends the sessions of its person and the proofs of its addresses, and a new invitation lets it in again',
    needs: 'principals.delete',
    answer: z.strictObject({ identity_id: z.string(), removed: z.boolean() }),
    handle: async ({ identities, addresses, principals, clock }, { caller, params: { id } }) => {
      const removed = isUuid(id) ? await identities.remove(caller, id, clock.now()) : undefined;
      if (removed === undefined)
        return err({ code: 'NOT_FOUND', message: 'There is no identity with this id.', field: 'id' });
      if (removed.kind === 'sign_in') {
        await addresses.forget(caller, removed.principalId);
        for (const { id: tokenId, scheme } of await principals.tokens(caller, removed.principalId))
          if (scheme === 'session') await principals.revokeToken(caller, tokenId, clock.now());
      }
      return ok({ identity_id: id, removed: true });
    },
  }),
];

/**
 * A name as it is stored: proved if a token of the issuer came with it, whose subject must be that name.
 * `INVALID_REQUEST` if the proof is not valid; `at` is the path to the identity in the request.
 */
export async function identityOf(
  { newId, clock, issuedTokens }: ProofDeps,
  principalId: string,
  request: z.output<typeof identityRequest>,
  at: string,
): Promise<Result<VouchedIdentity, AdminFailure>> {
  const { kind, subject } = request;
  const [issuer, proof] = request.kind === 'jwt' ? [request.issuer, request.proof] : ['', undefined];
  const made = { id: newId(), principalId, createdAt: clock.now(), kind, issuer, subject };
  if (proof === undefined) return ok(made);
  const verified = await issuedTokens?.verify(proof);
  if (verified?.ok === true && verified.value.issuer === issuer && verified.value.subject === subject)
    return ok({ ...made, provedAt: clock.now() });
  const message = 'The proof is not a valid token of this issuer for this subject.';
  return err({ code: 'INVALID_REQUEST', message, field: `${at}proof` });
}

export function nameTaken(field: string): AdminFailure {
  return { code: 'CONFLICT', message: 'This identity is already in use.', field };
}

export function identityView({ id, kind, issuer, subject }: VouchedIdentity) {
  return { identity_id: id, kind, ...(issuer !== '' && { issuer }), subject };
}
