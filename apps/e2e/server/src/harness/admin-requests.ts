import { buyRequest, type Json } from './buy-request.js';
import type { Owned } from './own-everything.js';

/** One request of the admin routes that names an item with an owner. */
export interface AdminRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As in the table of routes. */
  readonly route: string;
  readonly path: (named: Owned) => string;
  readonly body?: (named: Owned) => Json;
}

const at = (
  method: AdminRequest['method'],
  route: string,
  name: (named: Owned) => string,
  body?: (named: Owned) => Json,
): AdminRequest => ({
  method,
  route,
  path: (named) => route.replace(/\{\w+\}/, encodeURIComponent(name(named))),
  ...(body === undefined ? {} : { body }),
});

const why = (): Json => ({ reason: 'A test.' });
const until = '2099-01-01';

/**
 * All routes with a name in the path, and those whose body or query names an item. The isolation tests send each, and
 * fail for a route without a row. Reads come before changes; requests that end an item come last.
 */
export const adminRequests: readonly AdminRequest[] = [
  at('GET', '/v1/events/{id}', ({ eventId }) => eventId),
  {
    method: 'GET',
    route: '/v1/events/{id}',
    path: ({ eventId }) => `/v1/events/${encodeURIComponent(eventId)}?raw=true`,
  },
  {
    method: 'GET',
    route: '/v1/audit',
    path: ({ principalId }) => `/v1/audit?object=${principalId}`,
  },
  at('GET', '/v1/outgoing-events/{id}', ({ outgoingId }) => outgoingId),
  at('GET', '/v1/custody/{id}', ({ custodyId }) => custodyId),
  at('GET', '/v1/sellers/{slug}', ({ seller }) => seller),
  at('GET', '/v1/buys/{id}', ({ mediaBuyId }) => mediaBuyId),
  at('GET', '/v1/clients/{id}', ({ clientId }) => clientId),
  at('GET', '/v1/brands/{id}', ({ brandRowId }) => brandRowId),
  at('GET', '/v1/campaigns/{id}', ({ campaignId }) => campaignId),
  at('GET', '/v1/campaigns/{id}/rules', ({ campaignId }) => campaignId),
  { method: 'GET', route: '/v1/brands', path: ({ clientId }) => `/v1/brands?client_id=${clientId}` },
  { method: 'GET', route: '/v1/campaigns', path: ({ clientId }) => `/v1/campaigns?client_id=${clientId}` },
  at('GET', '/v1/ledger/entries/{id}', ({ mediaBuyId }) => mediaBuyId),
  at('GET', '/v1/organizations/{id}', ({ organizationId }) => organizationId),
  at('GET', '/v1/relay/{name}/address', ({ seller }) => seller),
  {
    method: 'GET',
    route: '/v1/custody',
    path: ({ principalId, seller }) => `/v1/custody?principal_id=${principalId}&seller=${seller}`,
  },
  {
    method: 'GET',
    route: '/v1/custody/export',
    path: ({ principalId }) => `/v1/custody/export?principal_id=${principalId}`,
  },
  {
    method: 'GET',
    route: '/v1/custody/verify',
    path: ({ principalId }) => `/v1/custody/verify?principal_id=${principalId}`,
  },
  {
    method: 'GET',
    route: '/v1/delegations',
    path: ({ principalId }) => `/v1/delegations?principal_id=${principalId}`,
  },
  { method: 'GET', route: '/v1/approvals', path: ({ seller }) => `/v1/approvals?seller=${seller}` },
  { method: 'GET', route: '/v1/events', path: ({ seller }) => `/v1/events?seller=${seller}` },
  at(
    'POST',
    '/v1/organizations/{id}',
    ({ organizationId }) => organizationId,
    () => ({ time_zone: 'UTC' }),
  ),
  at('POST', '/v1/organizations/{id}/prove', ({ organizationId }) => organizationId),
  { method: 'GET', route: '/v1/search', path: ({ mediaBuyId }) => `/v1/search?q=${mediaBuyId}` },
  { method: 'GET', route: '/v1/search', path: ({ teamName }) => `/v1/search?q=${teamName}` },
  at('GET', '/v1/jobs/{id}', ({ jobId }) => jobId),
  at('GET', '/v1/jobs/{id}/faults', ({ jobId }) => jobId),
  at('GET', '/v1/invoices/{id}', ({ invoiceId }) => invoiceId),
  at('GET', '/v1/breaks/{id}', ({ breakId }) => breakId),
  at('GET', '/v1/journal/batches/{id}', ({ batchId }) => batchId),
  at('GET', '/v1/invoices/{id}/payments', ({ invoiceId }) => invoiceId),
  at(
    'POST',
    '/v1/buys/{id}/end-commitment',
    ({ mediaBuyId }) => mediaBuyId,
    ({ seller }) => ({ ...why(), seller }),
  ),
  at('POST', '/v1/invoices/{id}/void', ({ invoiceId }) => invoiceId, why),
  at('POST', '/v1/invoices/{id}/hold', ({ invoiceId }) => invoiceId, why),
  at('POST', '/v1/invoices/{id}/release', ({ invoiceId }) => invoiceId),
  at('POST', '/v1/invoices/{id}/approve', ({ invoiceId }) => invoiceId),
  at('POST', '/v1/invoices/{id}/unapprove', ({ invoiceId }) => invoiceId),
  at(
    'POST',
    '/v1/credits/{id}/apply',
    ({ creditId }) => creditId,
    ({ invoiceId }) => ({ invoice: invoiceId }),
  ),
  at(
    'POST',
    '/v1/credits/{id}/unapply',
    ({ creditId }) => creditId,
    ({ invoiceId }) => ({ invoice: invoiceId }),
  ),
  at(
    'POST',
    '/v1/invoices/{id}/pay',
    ({ invoiceId }) => invoiceId,
    () => ({ date: '2026-02-10', amount: '1' }),
  ),
  { method: 'GET', route: '/v1/pacing', path: ({ campaignId }) => `/v1/pacing?campaign_id=${campaignId}` },
  {
    method: 'POST',
    route: '/v1/tolerances',
    path: () => '/v1/tolerances',
    body: ({ seller, clientId }) => ({ seller, client_id: clientId, absolute: '0.01', percent: '0' }),
  },
  at('POST', '/v1/jobs/{id}/retry', ({ jobId }) => jobId),
  at('POST', '/v1/jobs/{id}/cancel', ({ jobId }) => jobId),
  at('DELETE', '/v1/tolerances/{id}', ({ toleranceId }) => toleranceId),
  {
    method: 'POST',
    route: '/v1/terms',
    path: () => '/v1/terms',
    body: ({ seller }) => ({ seller, days: 30 }),
  },
  {
    method: 'POST',
    route: '/v1/journal/accounts',
    path: () => '/v1/journal/accounts',
    body: ({ seller }) => ({ account: `vendor:${seller}`, code: 'V' }),
  },
  {
    method: 'POST',
    route: '/v1/files/{id}/parts/{part}',
    path: ({ fileId }) => `/v1/files/${fileId}/parts/0`,
    body: () => ({ a: 1 }),
  },
  {
    method: 'POST',
    route: '/v1/figures/import',
    path: () => '/v1/figures/import',
    body: ({ fileId }) => ({ source: 'adserver', file_id: fileId, dry_run: true }),
  },
  {
    method: 'POST',
    route: '/v1/figures/pull',
    path: () => '/v1/figures/pull',
    body: ({ seller }) => ({ seller, period: '2026-09', account_id: 'acc' }),
  },
  at(
    'POST',
    '/v1/invoices/{id}/attachments',
    ({ invoiceId }) => invoiceId,
    ({ fileId }) => ({ file_id: fileId }),
  ),
  {
    method: 'POST',
    route: '/v1/invoices/preview',
    path: () => '/v1/invoices/preview',
    body: ({ seller }) => ({ seller, file: { name: 'i.json', text: '[]' } }),
  },
  {
    method: 'POST',
    route: '/v1/invoices/import',
    path: () => '/v1/invoices/import',
    body: ({ seller }) => ({ seller, file: { name: 'i.json', text: '[]' }, dry_run: true }),
  },
  at(
    'POST',
    '/v1/breaks/{id}/assign',
    ({ breakId }) => breakId,
    ({ principalName }) => ({ owner: principalName }),
  ),
  at(
    'POST',
    '/v1/breaks/{id}/comment',
    ({ breakId }) => breakId,
    () => ({ text: 'A test.' }),
  ),
  at(
    'POST',
    '/v1/breaks/{id}/resolve',
    ({ breakId }) => breakId,
    () => ({ as: 'corrected' }),
  ),
  at('POST', '/v1/events/{id}/admit', ({ eventId }) => eventId, why),
  at('POST', '/v1/events/{id}/dismiss', ({ eventId }) => eventId, why),
  at(
    'POST',
    '/v1/approvals/{id}/answer',
    ({ approvalId }) => approvalId,
    () => ({ answer: {} }),
  ),
  at('POST', '/v1/approvals/{id}/dismiss', ({ approvalId }) => approvalId, why),
  at(
    'POST',
    '/v1/clients/{id}',
    ({ clientId }) => clientId,
    () => ({ name: 'another name' }),
  ),
  at(
    'POST',
    '/v1/brands/{id}',
    ({ brandRowId }) => brandRowId,
    () => ({ name: 'another name' }),
  ),
  {
    method: 'POST',
    route: '/v1/brands',
    path: () => '/v1/brands',
    body: ({ clientId }) => ({ domain: 'another.example', client_id: clientId }),
  },
  {
    method: 'POST',
    route: '/v1/campaigns',
    path: () => '/v1/campaigns',
    body: ({ clientId }) => ({
      name: 'another',
      client_id: clientId,
      brand: 'brand-of-the-owner.example',
      budget: '1',
      currency: 'USD',
      from: '2026-01-01',
      to: '2026-01-02',
    }),
  },
  at(
    'POST',
    '/v1/campaigns/{id}',
    ({ campaignId }) => campaignId,
    () => ({ name: 'another name' }),
  ),
  at(
    'POST',
    '/v1/campaigns/{id}/rules',
    ({ campaignId }) => campaignId,
    () => ({ reference_start: 'another' }),
  ),
  at(
    'POST',
    '/v1/campaigns/{id}/assign',
    ({ campaignId }) => campaignId,
    ({ mediaBuyId }) => ({ media_buy_id: mediaBuyId }),
  ),
  at(
    'POST',
    '/v1/campaigns/{id}/unassign',
    ({ campaignId }) => campaignId,
    ({ mediaBuyId }) => ({ media_buy_id: mediaBuyId }),
  ),
  {
    method: 'POST',
    route: '/v1/buys/dry-run',
    path: () => '/v1/buys/dry-run',
    // The answer repeats the seller of the request.
    body: ({ seller, productId, pricingOptionId, campaignId }) =>
      buyRequest(
        [
          {
            product_id: `${seller}:${productId.replace(/^[^:]*:/, '')}`,
            pricing_option_id: pricingOptionId,
            budget: 1000,
          },
        ],
        { ext: { switchyard: { campaign_id: campaignId } } },
      ),
  },
  at('POST', '/v1/outgoing-events/{id}/resend', ({ outgoingId }) => outgoingId),
  at('POST', '/v1/approvals/{id}/approve', ({ internalApprovalId }) => internalApprovalId, why),
  at('POST', '/v1/approvals/{id}/deny', ({ controlRequestId }) => controlRequestId, why),
  at('GET', '/v1/approvals/{id}', ({ controlRequestId }) => controlRequestId),
  at('POST', '/v1/approvals/{id}/withdraw', ({ controlRequestId }) => controlRequestId),
  at('DELETE', '/v1/limits/{id}', ({ limitId }) => limitId),
  at('POST', '/v1/alarms/{id}/acknowledge', ({ alarmId }) => alarmId, why),
  at(
    'POST',
    '/v1/accounts/{id}/status',
    ({ accountId }) => accountId,
    () => ({
      status: 'active',
      ...why(),
    }),
  ),
  at(
    'POST',
    '/v1/legs/{id}/settle',
    ({ legId }) => legId,
    () => ({ outcome: 'not-made', ...why() }),
  ),
  at(
    'POST',
    '/v1/credentials/{id}/rotate',
    ({ credentialId }) => credentialId,
    () => ({ secret: 'x' }),
  ),
  at(
    'POST',
    '/v1/sellers/{slug}/test',
    ({ seller }) => seller,
    () => ({}),
  ),
  at(
    'POST',
    '/v1/sellers/{slug}/edit',
    ({ seller }) => seller,
    () => ({ name: 'Other' }),
  ),
  at('GET', '/v1/sellers/{slug}/checks', ({ seller }) => seller),
  at('GET', '/v1/sellers/{slug}/report', ({ seller }) => seller),
  at(
    'POST',
    '/v1/sellers/{slug}/approve',
    ({ seller }) => seller,
    () => ({}),
  ),
  at(
    'POST',
    '/v1/sellers/{slug}/discard',
    ({ seller }) => seller,
    () => ({}),
  ),
  at('POST', '/v1/sellers/{slug}/suspend', ({ seller }) => seller, why),
  at(
    'POST',
    '/v1/sellers/{slug}/resume',
    ({ seller }) => seller,
    () => ({}),
  ),
  at(
    'POST',
    '/v1/principals/{name}/tokens',
    ({ principalName }) => principalName,
    () => ({}),
  ),
  at(
    'POST',
    '/v1/principals/{name}/sign-in-links',
    ({ principalName }) => principalName,
    () => ({}),
  ),
  at(
    'POST',
    '/v1/principals/{name}/rotate',
    ({ principalName }) => principalName,
    () => ({}),
  ),
  at(
    'POST',
    '/v1/principals/{name}/identities',
    ({ principalName }) => principalName,
    () => ({
      kind: 'certificate',
      subject: 'dns:other.example',
    }),
  ),
  at(
    'POST',
    '/v1/principals/{name}/signers',
    ({ principalName }) => principalName,
    () => ({
      agent_url: 'https://other.brand.example',
      jwks_uri: 'https://other.brand.example/jwks.json',
    }),
  ),
  {
    method: 'POST',
    route: '/v1/delegations',
    path: () => '/v1/delegations',
    body: ({ principalId, seller }) => ({
      principal_id: principalId,
      seller,
      tasks: ['create_media_buy'],
      until,
    }),
  },
  {
    method: 'POST',
    route: '/v1/tokens',
    path: () => '/v1/tokens',
    body: ({ principalName }) => ({ principal: principalName }),
  },
  {
    method: 'POST',
    route: '/v1/keys/rotate',
    path: () => '/v1/keys/rotate',
    body: ({ principalName }) => ({ principal: principalName }),
  },
  {
    method: 'DELETE',
    route: '/v1/campaigns/{id}/rules/{rule}',
    path: ({ campaignId, ruleId }) => `/v1/campaigns/${campaignId}/rules/${ruleId}`,
  },
  {
    method: 'GET',
    route: '/v1/grants',
    path: ({ principalId }) => `/v1/grants?principal=${principalId}`,
  },
  {
    method: 'POST',
    route: '/v1/grants',
    path: () => '/v1/grants',
    body: ({ principalName }) => ({ principal: principalName, role: 'viewer', scope: 'own' }),
  },
  at('DELETE', '/v1/grants/{id}', ({ grantId }) => grantId),
  { method: 'GET', route: '/v1/grants', path: ({ teamName }) => `/v1/grants?team=${teamName}` },
  {
    method: 'POST',
    route: '/v1/grants',
    path: () => '/v1/grants',
    body: ({ teamName }) => ({ team: teamName, role: 'viewer', scope: 'own' }),
  },
  at(
    'POST',
    '/v1/teams/{name}/members',
    ({ teamName }) => teamName,
    ({ principalName }) => ({ principal: principalName }),
  ),
  {
    method: 'DELETE',
    route: '/v1/teams/{name}/members/{principal}',
    path: ({ teamName, principalName }) => `/v1/teams/${teamName}/members/${principalName}`,
  },
  at(
    'POST',
    '/v1/teams/{name}',
    ({ teamName }) => teamName,
    ({ teamName }) => ({ name: teamName }),
  ),
  {
    method: 'POST',
    route: '/v1/stops',
    path: () => '/v1/stops',
    body: ({ seller }) => ({ target: `seller:${seller}` }),
  },
  {
    method: 'POST',
    route: '/v1/stops',
    path: () => '/v1/stops',
    body: ({ principalId }) => ({ target: `principal:${principalId}` }),
  },
  at('DELETE', '/v1/stops/{target}', ({ seller }) => `seller:${seller}`),
  at('DELETE', '/v1/identities/{id}', ({ identityId }) => identityId),
  at('DELETE', '/v1/signers/{id}', ({ signerId }) => signerId),
  at('DELETE', '/v1/invitations/{id}', ({ invitationId }) => invitationId),
  at('DELETE', '/v1/tokens/{id}', ({ tokenId }) => tokenId),
  at('DELETE', '/v1/delegations/{id}', ({ delegationId }) => delegationId, why),
  at(
    'POST',
    '/v1/credentials/{id}/revoke',
    ({ credentialId }) => credentialId,
    () => ({}),
  ),
  at('DELETE', '/v1/teams/{name}', ({ teamName }) => teamName),
  at('DELETE', '/v1/sellers/{slug}', ({ seller }) => seller),
  at('POST', '/v1/principals/{name}/reset-factors', ({ principalName }) => principalName),
  at('DELETE', '/v1/principals/{name}', ({ principalName }) => principalName),
];

/** Routes that change data and name no owned item. Together with `adminRequests` and the lists these are all routes. */
export const namelessRequests: ReadonlySet<string> = new Set([
  'POST /v1/clients',
  'POST /v1/files',
  // Names none: what it sends again is in the caller's reach.
  'POST /v1/outgoing-events/resend',
  'POST /v1/sellers',
  'POST /v1/sellers/import',
  // Public documents of a domain; nothing is stored.
  'POST /v1/sellers/find',
  'POST /v1/sellers/add',
  'POST /v1/organizations',
  'POST /v1/principals',
  'POST /v1/invitations',
  'POST /v1/limits',
  'POST /v1/rates',
  'POST /v1/rates/import',
  // A month has no owner.
  'POST /v1/journal/exports',
  'POST /v1/reconciliations',
  // A role of the caller's own organization.
  'POST /v1/roles/{name}',
  'POST /v1/teams',
  'POST /v1/statements',
  'POST /v1/ledger/anchors',
  'POST /v1/ledger/verify',
  // A month has no owner.
  'GET /v1/periods/{period}/checklist',
  'GET /v1/periods/{period}/accruals',
  'POST /v1/periods/{period}/close',
  'POST /v1/periods/{period}/reopen',
  'POST /v1/credentials/rewrap',
  // Concerns the caller only.
  'POST /v1/me/password',
  'DELETE /v1/me/sessions/{id}',
  'POST /v1/me/sessions/end-others',
  'DELETE /v1/me/programs/{id}',
  'POST /v1/me/show-again',
  'GET /v1/sign-in-policy',
  'POST /v1/sign-in-policy',
  'POST /v1/me/totp',
  'POST /v1/me/totp/confirm',
  'POST /v1/me/totp/remove',
  'POST /v1/me/recovery-codes',
  'POST /v1/session',
  'POST /v1/session/passkey',
  'POST /v1/me/passkeys',
  'POST /v1/me/passkeys/challenge',
  'DELETE /v1/me/passkeys/{id}',
  'DELETE /v1/me/provider-links/{id}',
  'DELETE /v1/session',
]);
