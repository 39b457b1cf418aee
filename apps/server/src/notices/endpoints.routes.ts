import { randomBytes } from 'node:crypto';
import type { NoticeConnector } from '@switchyard/events';
import type { Egress } from '@switchyard/sellers';
import { lists, type EndpointRepository, type NoticeEndpoint } from '@switchyard/store';
import { err, isoOf, ok, Secret, type Clock, type Result } from '@switchyard/values';
import { destinationOf, type Vault } from '@switchyard/vault';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { httpAddress, instant, plainText } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { builtInChannels, pagerDutyUrl, type EndpointSecret } from './channel-posts.js';
import { kindNames } from './notice-kinds.js';
import { noticeObject, type NoticesDeps } from './notices.routes.js';
import { postNotice, secretOf } from './send-notices.js';

interface EndpointsDeps extends ListDeps, Pick<NoticesDeps, 'notices'> {
  readonly endpoints: EndpointRepository;
  readonly vault: Pick<Vault, 'put' | 'rotate' | 'withSecret'>;
  readonly egress: Pick<Egress, 'request' | 'checkUrl'>;
  readonly baseUrl: () => string;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Places that packages outside of the product have brought. */
  readonly noticeConnectors?: readonly NoticeConnector[];
}

/** How long the signing key before a rotation is still valid, in milliseconds: a day. */
const overlapMs = 24 * 3_600_000;

const endpointName = plainText(80).trim().min(1);
const kinds = z.array(z.enum(kindNames)).max(kindNames.length);

const example = {
  endpoint_id: '4d1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  name: 'warehouse',
  channel: 'webhook',
  origin: 'https://hooks.agency.example',
  kinds: ['approval.requested'],
  state: 'active' as const,
  last_sent_at: '2026-11-21T12:30:00.000Z',
  created_at: '2026-11-21T12:00:00.000Z',
};

const { view: endpoint, routes: listed } = resource(lists.endpointList, {
  noun: 'endpoint',
  plural: 'endpoints',
  area: 'principals',
  summary: 'Systems, chats and alerting services that are told, oldest first',
  example,
  views: { kinds: z.array(z.string()).describe('Empty: every kind.') },
  command: {
    title: 'systems, chats and alerting services that are told of notices',
    summary: 'list endpoints, oldest first',
    columns: {
      Name: 'name',
      Channel: 'channel',
      State: 'state',
      At: 'origin',
      Kinds: { of: ['kinds'], none: 'all' },
      'Last sent': { of: ['last_sent_at'], none: 'never' },
    },
    none: 'There are no endpoints.',
    whole: true,
  },
});

const shownState = z.strictObject({ endpoint_id: z.string(), name: z.string(), state: z.string() });
const signingKey = z
  .string()
  .exactOptional()
  .describe('Of a webhook: the key that verifies signatures (Standard Webhooks). Shown this once.');

const { routes: deliveriesListed } = resource(lists.deliveryList, {
  noun: 'endpoint_delivery',
  plural: 'deliveries',
  path: '/v1/endpoints/{id}/deliveries',
  id: 'list_endpoint_deliveries',
  area: 'principals',
  summary: 'What was sent to an endpoint, or waits for it, newest first',
  example: {
    delivery_id: '6a1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d14',
    kind: 'approval.requested',
    object: { kind: 'approval', id: '3c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d13' },
    state: 'failed',
    attempts: 9,
    reason: 'status 500',
    at: '2026-11-21T12:30:00.000Z',
    ended_at: '2026-11-22T12:30:00.000Z',
  },
  views: { object: noticeObject },
  parent: async (deps: EndpointsDeps, caller, text) => {
    const found = await endpointToChange(deps, caller, text, 'read');
    return found.ok ? ok(found.value.id) : found;
  },
});

const route = routesOn<EndpointsDeps>();

/** Where an organization is told. Addresses and keys are sealed and never shown again. */
export const endpointRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/endpoints',
    id: 'add_endpoint',
    showsOnce: true,
    summary: 'Add a system, a chat or an alerting service that is told of notices',
    needs: 'principals.write',
    secretsTaken: ['url', 'key'],
    body: z.strictObject({
      name: endpointName,
      channel: z
        .string()
        .max(60)
        .describe(
          'webhook, slack, teams, pagerduty, or that of a connector that this installation has loaded.',
        ),
      url: httpAddress
        .exactOptional()
        .describe('Of a webhook, or of an incoming webhook of a chat. Not needed for PagerDuty.'),
      key: z
        .string()
        .regex(/^[\x21-\x7e]{8,200}$/, 'must be a key')
        .exactOptional()
        .describe('The routing key of PagerDuty.'),
      kinds: kinds.default([]),
    }),
    answer: z.strictObject({ ...endpoint.shape, signing_key: signingKey }),
    status: 201,
    example: { ...example, signing_key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    handle: async (deps, { caller, body }) => {
      const refused = organizationWide(caller, 'principals', 'write');
      if (refused !== undefined) return err(refused);
      const channels = [...builtInChannels, ...(deps.noticeConnectors ?? []).map((one) => one.channel)];
      if (!channels.includes(body.channel))
        return err({
          code: 'INVALID_REQUEST',
          message: `There is no channel ${body.channel} here. There are ${channels.join(', ')}.`,
          field: 'channel',
        });
      const secret = newSecret(body);
      if (!secret.ok) return secret;
      const { url } = secret.value;
      const judged = await deps.egress.checkUrl(url);
      if (!judged.ok) return err({ code: 'INVALID_REQUEST', message: judged.error.message, field: 'url' });
      if ((await deps.endpoints.find(caller, body.name)) !== undefined) return err(nameTaken);
      const origin = destinationOf(url);
      const sealed = await deps.vault.put(caller, {
        kind: 'notice',
        secret: bytesOf(secret.value),
        destination: origin,
      });
      if (!sealed.ok) return err(notSealed);
      const { name, channel } = body;
      const { credentialId } = sealed.value;
      const made = {
        id: deps.newId(),
        name,
        channel,
        origin,
        credentialId,
        kinds: body.kinds,
        state: 'active',
      } as const;
      const at = deps.clock.now();
      if (!(await deps.endpoints.add(caller, made, { by: caller.principalId, at }))) return err(nameTaken);
      return ok({
        endpoint_id: made.id,
        name,
        channel,
        origin,
        kinds: body.kinds,
        state: made.state,
        created_at: isoOf(at),
        ...(channel === 'webhook' && { signing_key: secret.value.key ?? '' }),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/endpoints/{id}/test',
    id: 'test_endpoint',
    summary: 'Send a test notice to an endpoint now, and say what came of it',
    needs: 'principals.write',
    answer: z.strictObject({
      ...shownState.shape,
      sent: z.boolean(),
      reason: z.string().exactOptional().describe('Why it was not taken.'),
    }),
    handle: async (deps, { caller, params }) => {
      const found = await endpointToChange(deps, caller, params.id);
      if (!found.ok) return found;
      const { id, name, state } = found.value;
      const testId = deps.newId();
      const about = { objectKind: 'endpoint', objectId: id, data: {}, dedupeKey: `test:${testId}` };
      const test = { id: testId, kind: 'test', ...about, at: deps.clock.now() };
      const sent = await postNotice(deps, scopeOf(caller), found.value, { id: testId, notice: test });
      const shown = { endpoint_id: id, name, state };
      return ok(sent.ok ? { ...shown, sent: true } : { ...shown, sent: false, reason: sent.error.reason });
    },
  }),
  route({
    method: 'post',
    path: '/v1/endpoints/{id}/pause',
    id: 'pause_endpoint',
    summary: 'Send nothing to an endpoint until it is resumed; what waits for it is kept',
    needs: 'principals.write',
    answer: shownState,
    handle: (deps, { caller, params: { id } }) => setState(deps, caller, id, 'paused'),
  }),
  route({
    method: 'post',
    path: '/v1/endpoints/{id}/resume',
    id: 'resume_endpoint',
    summary: 'Send to an endpoint again, first what waited for it',
    needs: 'principals.write',
    answer: shownState,
    handle: (deps, { caller, params: { id } }) => setState(deps, caller, id, 'active'),
  }),
  route({
    method: 'post',
    path: '/v1/endpoints/{id}/rotate',
    id: 'rotate_endpoint',
    showsOnce: true,
    summary: 'Give a webhook a new signing key; for a day messages carry both signatures',
    needs: 'principals.write',
    answer: z.strictObject({ ...shownState.shape, signing_key: signingKey, previous_until: instant }),
    handle: async (deps, { caller, params }) => {
      const found = await endpointToChange(deps, caller, params.id);
      if (!found.ok) return found;
      const { id, name, state, channel, credentialId, origin } = found.value;
      if (channel !== 'webhook') return err(noSigningKey);
      const until = deps.clock.now() + overlapMs;
      const next = await deps.vault.withSecret(
        caller,
        { credentialId, kind: 'notice', destination: origin },
        { purpose: 'rotation', actor: caller.principalId },
        (secret) => {
          const { url, key = '' } = secret.useText(secretOf);
          return Promise.resolve({ url, key: newKey(), previous: { key, until } });
        },
      );
      if (!next.ok) return err(notSealed);
      const rotated = await deps.vault.rotate(caller, credentialId, bytesOf(next.value));
      if (!rotated.ok) return err(rotated.error.code === 'conflict' ? rotatedMeanwhile : notSealed);
      return ok({
        ...{ endpoint_id: id, name, state },
        signing_key: next.value.key,
        previous_until: isoOf(until),
      });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/endpoints/{id}',
    id: 'remove_endpoint',
    summary: 'Remove an endpoint with its secrets and what waits for it',
    needs: 'principals.delete',
    answer: z.strictObject({ endpoint_id: z.string(), name: z.string(), removed: z.literal(true) }),
    handle: async (deps, { caller, params }) => {
      const found = await endpointToChange(deps, caller, params.id, 'delete');
      if (!found.ok) return found;
      const { id, name } = found.value;
      await deps.endpoints.remove(caller, found.value);
      return ok({ endpoint_id: id, name, removed: true as const });
    },
  }),
  ...deliveriesListed,
  route({
    method: 'post',
    path: '/v1/endpoints/{id}/deliveries/{delivery}/resend',
    id: 'resend_delivery',
    summary: 'Send a delivery that has ended again, under its id',
    needs: 'principals.write',
    answer: z.strictObject({ endpoint_id: z.string(), delivery_id: z.string(), state: z.literal('waiting') }),
    handle: async (deps, { caller, params }) => {
      const found = await endpointToChange(deps, caller, params.id);
      if (!found.ok) return found;
      const { id } = found.value;
      const isAgain = await deps.notices.resend(scopeOf(caller), id, params.delivery, deps.clock.now());
      if (!isAgain) return err(noDelivery);
      return ok({ endpoint_id: id, delivery_id: params.delivery, state: 'waiting' as const });
    },
  }),
];

const newKey = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const bytesOf = (secret: EndpointSecret): Secret => new Secret(Buffer.from(JSON.stringify(secret), 'utf8'));

function newSecret({
  channel,
  url,
  key,
}: {
  readonly channel: NoticeEndpoint['channel'];
  readonly url?: string;
  readonly key?: string;
}): Result<EndpointSecret, AdminFailure> {
  const needs = (field: string): Result<never, AdminFailure> =>
    err({ code: 'INVALID_REQUEST', message: `A channel ${channel} needs ${field}.`, field });
  if (channel === 'pagerduty')
    return key === undefined ? needs('key') : ok({ url: url ?? pagerDutyUrl, key });
  if (url === undefined) return needs('url');
  if (key !== undefined)
    return err({ code: 'INVALID_REQUEST', message: 'Only PagerDuty takes a key.', field: 'key' });
  return ok(channel === 'webhook' ? { url, key: newKey() } : { url });
}

async function endpointToChange(
  { endpoints }: Pick<EndpointsDeps, 'endpoints'>,
  caller: PrincipalCaller,
  idOrName: string,
  permission: 'read' | 'write' | 'delete' = 'write',
): Promise<Result<NoticeEndpoint, AdminFailure>> {
  const refused = organizationWide(caller, 'principals', permission);
  if (refused !== undefined) return err(refused);
  const found = await endpoints.find(caller, idOrName);
  return found === undefined ? err(unknown) : ok(found);
}

async function setState(
  deps: Pick<EndpointsDeps, 'endpoints'>,
  caller: PrincipalCaller,
  idOrName: string,
  state: 'active' | 'paused',
): Promise<Result<z.output<typeof shownState>, AdminFailure>> {
  const found = await endpointToChange(deps, caller, idOrName);
  if (!found.ok) return found;
  const { id, name } = found.value;
  await deps.endpoints.setState(caller, id, state);
  return ok({ endpoint_id: id, name, state });
}

const unknown: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no endpoint with this id or name.',
  field: 'id',
};
const nameTaken: AdminFailure = {
  code: 'CONFLICT',
  message: 'An endpoint with this name already exists.',
  field: 'name',
};
const noDelivery: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'This endpoint has no delivery with this id that has ended.',
  field: 'delivery',
};
const noSigningKey: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'Only a webhook has a signing key.',
  suggestion: 'Remove the endpoint and add it again with its new address or key.',
};
const rotatedMeanwhile: AdminFailure = { code: 'CONFLICT', message: 'The key was rotated meanwhile.' };
const notSealed: AdminFailure = {
  code: 'UNAVAILABLE',
  message: 'The vault cannot be used now. Try again later.',
};
