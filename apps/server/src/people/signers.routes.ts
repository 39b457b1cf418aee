import type { Egress } from '@switchyard/sellers';
import { isPublishedTestKey } from '@switchyard/signing';
import { lists } from '@switchyard/store';
import {
  firstBeyondPrincipal,
  type PrincipalDirectory,
  type RequestSigner,
  type SignerDirectory,
} from '@switchyard/tenancy';
import {
  err,
  isJsonObject,
  isoOf,
  isUuid,
  ok,
  type Clock,
  type JsonObject,
  type Result,
} from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { httpAddress, plainName } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { noPrincipalCalled } from './no-principal.js';

/** What is needed to make a signer from an admin's request. */
export interface SignerDeps {
  readonly egress: Pick<Egress, 'checkUrl'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Only in the local profile. */
  readonly trustsTestKeys?: boolean;
}

interface SignersDeps extends SignerDeps, ListDeps {
  readonly principals: Pick<PrincipalDirectory, 'findByName'>;
  readonly signers: Pick<SignerDirectory, 'add' | 'remove'>;
}

export const keySet = z.looseObject({
  keys: z
    .array(z.looseObject({ kid: z.string().min(1).max(512) }))
    .min(1)
    .max(50),
});

const dialect = z.enum(['ads', 'adcp']);

const signerRequest = z
  .strictObject({
    agent_url: httpAddress,
    jwks_uri: httpAddress.exactOptional(),
    jwks: keySet.exactOptional(),
    protocol: z
      .enum(['mcp', 'a2a'])
      .exactOptional()
      .describe(
        'Without keys and their address: the protocol by which they are requested from the agent; mcp unless set.',
      ),
    dialect: dialect.default('ads'),
    allows_rsa_pss: z.boolean().default(false),
  })
  .refine((row) => row.jwks_uri === undefined || row.jwks === undefined, {
    error: 'must be one of jwks_uri and jwks, or neither: then the agent is asked where its keys are',
    path: ['jwks_uri'],
  })
  .refine((row) => row.protocol === undefined || (row.jwks_uri === undefined && row.jwks === undefined), {
    error: 'is how the keys are requested from the agent: leave it out where they are given',
    path: ['protocol'],
  });

/** A signer in a request. */
export type SignerDraft = z.output<typeof signerRequest>;

const { view: signer, routes: listed } = resource(lists.signerList, {
  noun: 'signer',
  plural: 'signers',
  area: 'principals',
  summary: 'Agents that sign as our principals',
  example: {
    signer_id: '7d0b4a3c-3a0e-4c7f-9a43-51b3f0a1c9d2',
    principal: 'nova',
    agent_url: 'https://agent.nova.example/mcp',
    jwks_uri: 'https://agent.nova.example/jwks.json',
    dialect: 'ads',
    allows_rsa_pss: false,
    created_at: '2026-11-21T12:00:00.000Z',
  },
  views: { kids: z.array(z.string()) },
  query: { principal: plainName },
  command: {
    title: 'signers: agents that sign requests as a principal',
    summary: 'list signers, with their keys or key set URL',
    columns: {
      Signer: 'signer_id',
      Principal: 'principal',
      Agent: 'agent_url',
      Keys: { of: ['jwks_uri', 'kids'], none: 'to be discovered' },
      'Discovered over': 'discovered_over',
      Dialect: 'dialect',
      RSA: 'allows_rsa_pss',
    },
    none: 'No agent signs as a principal yet.',
  },
});

const route = routesOn<SignersDeps>();

/** Agents that sign as principals of the organization. */
export const signerRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/principals/{name}/signers',
    id: 'add_signer',
    summary: 'Register an agent as a signer of a principal',
    needs: 'principals.write',
    body: signerRequest,
    bodyExample: { agent_url: 'https://agency.example/mcp', jwks_uri: 'https://agency.example/keys.json' },
    answer: signer,
    secretsTaken: ['jwks', 'jwks_uri'],
    handle: async (deps, { caller, params: { name }, body }) => {
      const found = await deps.principals.findByName(caller, name);
      if (found === undefined) return err(noPrincipalCalled(name));
      const beyond = firstBeyondPrincipal(caller, found);
      if (beyond !== undefined) {
        const message = `Whoever signs as ${name} may do ${beyond}, which you do not have.`;
        return err({ code: 'INVALID_REQUEST', message, field: 'principal' });
      }
      const made = await signerOf(deps, found.id, body);
      if (!made.ok) return made;
      await deps.signers.add(caller, made.value, caller.principalId);
      return ok(viewOf(made.value, name));
    },
  }),
  route({
    method: 'delete',
    path: '/v1/signers/{id}',
    id: 'remove_signer',
    summary: 'Remove a signer',
    needs: 'principals.delete',
    answer: z.strictObject({ signer_id: z.string(), removed: z.boolean() }),
    handle: async ({ signers, clock }, { caller, params: { id } }) =>
      isUuid(id) && (await signers.remove(caller, id, clock.now()))
        ? ok({ signer_id: id, removed: true })
        : err({ code: 'NOT_FOUND', message: 'There is no signer with this id.', field: 'id' }),
  }),
];

/** A signer made from a request, or its fault: a refused address, or a private key. */
export async function signerOf(
  { egress, clock, newId, trustsTestKeys }: SignerDeps,
  principalId: string,
  draft: SignerDraft,
): Promise<Result<RequestSigner, AdminFailure>> {
  const called = addressOf(draft);
  const judged = called === undefined ? undefined : await egress.checkUrl(called.url);
  if (judged?.ok === false)
    return err({ code: 'INVALID_REQUEST', message: judged.error.message, field: called?.field ?? '' });
  const keys = keysIn(draft.jwks);
  if (keys.some((key) => privateMembers.some((name) => Object.hasOwn(key, name))))
    return err({
      code: 'INVALID_REQUEST',
      message: 'A key set holds public keys alone: these must be replaced, everybody may know them now.',
      field: 'jwks',
    });
  if (!trustsTestKeys && keys.some(isPublishedTestKey))
    return err({
      code: 'INVALID_REQUEST',
      message: 'One of these is a published test key: everybody could sign with it.',
      field: 'jwks',
    });
  return ok({
    id: newId(),
    principalId,
    agentUrl: draft.agent_url,
    keys: whereKeysAre(draft),
    dialect: draft.dialect,
    allowsRsaPss: draft.allows_rsa_pss,
    createdAt: clock.now(),
  });
}

/** The address that the keys are fetched from: their own, or that of the agent that names them. */
function addressOf(draft: SignerDraft): { readonly url: string; readonly field: string } | undefined {
  if (draft.jwks_uri !== undefined) return { url: draft.jwks_uri, field: 'jwks_uri' };
  return draft.jwks === undefined ? { url: draft.agent_url, field: 'agent_url' } : undefined;
}

function whereKeysAre(draft: SignerDraft): RequestSigner['keys'] {
  const jwks: unknown = draft.jwks;
  if (draft.jwks_uri !== undefined) return { kind: 'address', jwksUri: draft.jwks_uri };
  return isJsonObject(jwks)
    ? { kind: 'document', jwks }
    : { kind: 'discovered', protocol: draft.protocol ?? 'mcp' };
}

/** The private members of all key types, and of shared secrets. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

function keysIn(jwks: unknown): readonly JsonObject[] {
  if (!isJsonObject(jwks)) return [];
  const { keys } = jwks;
  return Array.isArray(keys) ? keys.filter(isJsonObject) : [];
}

function viewOf(
  { id, agentUrl, keys, dialect: named, allowsRsaPss, createdAt }: RequestSigner,
  principal: string,
) {
  return {
    signer_id: id,
    principal,
    agent_url: agentUrl,
    ...keysView(keys),
    dialect: named,
    allows_rsa_pss: allowsRsaPss,
    created_at: isoOf(createdAt),
  };
}

function keysView(keys: RequestSigner['keys']) {
  if (keys.kind === 'address') return { jwks_uri: keys.jwksUri };
  if (keys.kind === 'document')
    return { kids: keysIn(keys.jwks).flatMap(({ kid }) => (typeof kid === 'string' ? [kid] : [])) };
  const { protocol, foundJwksUri } = keys;
  return { discovered_over: protocol, ...(foundJwksUri !== undefined && { jwks_uri: foundJwksUri }) };
}
