import { randomUUID } from 'node:crypto';
import { taskTable } from '@switchyard/protocol';
import pg from 'pg';
import { Catalogue, buyRequest, list, type Json } from './buy-request.js';
import { ownerUrlOf } from './data-folder.js';
import { ownerView } from './database.js';
import { callTask } from './call-task.js';
import type { Instance } from './instance.js';
import { pageRequests, type Named } from './task-requests.js';
import { waitUntil } from './wait-until.js';
import { send } from './http-answer.js';

/** All items of an organization that a request can name, in tasks and in admin routes. */
export interface Owned extends Named {
  readonly clientId: string;
  readonly brandRowId: string;
  readonly campaignId: string;
  readonly ruleId: string;
  readonly legId: string;
  readonly organizationId: string;
  readonly delegationId: string;
  readonly principalId: string;
  readonly principalName: string;
  readonly seller: string;
  readonly tokenId: string;
  readonly invitationId: string;
  readonly identityId: string;
  readonly grantId: string;
  readonly teamName: string;
  readonly signerId: string;
  readonly credentialId: string;
  readonly custodyId: string;
  readonly eventId: string;
  readonly outgoingId: string;
  readonly approvalId: string;
  readonly internalApprovalId: string;
  readonly controlRequestId: string;
  readonly limitId: string;
  readonly alarmId: string;
  readonly registrationId: string;
  readonly invoiceId: string;
  readonly disputeId: string;
  readonly caseId: string;
  readonly declarationId: string;
  readonly paymentId: string;
  readonly paymentRunId: string;
  readonly bankEntryId: string;
  readonly billingRuleId: string;
  readonly agreementId: string;
  readonly orderId: string;
  readonly entityId: string;
  readonly clientInvoiceId: string;
  readonly clientPaymentId: string;
  readonly shareId: string;
  readonly creditId: string;
  readonly fileId: string;
  readonly breakId: string;
  readonly toleranceId: string;
  readonly batchId: string;
  readonly jobId: string;
  readonly endpointId: string;
  readonly contactId: string;
  readonly noteId: string;
  readonly planId: string;
}

/** The same names for items that do not exist. */
export function nobodys(): Owned {
  const id = randomUUID;
  return {
    mediaBuyId: `mb_${id()}`,
    packageId: `prompt:pkg_${id()}`,
    taskId: `task_${id()}`,
    productId: `nobody:${id()}`,
    proposalId: `nobody:${id()}`,
    pricingOptionId: 'cpm',
    signalId: `nobody:${id()}`,
    creativeId: `creative-${id()}`,
    creativeName: `name-${id()}`,
    creativeTag: `tag-${id()}`,
    creativeConcept: `concept-${id()}`,
    accountId: id(),
    accountBrand: `nobody-${id()}.example`,
    buyerRef: `ref-${id()}`,
    packageRef: `part-${id()}`,
    contextId: `ctx-${id()}`,
    cursors: {},
    operationId: id(),
    organizationId: id(),
    clientId: id(),
    brandRowId: id(),
    campaignId: id(),
    ruleId: id(),
    legId: id(),
    delegationId: id(),
    principalId: id(),
    principalName: `nobody-${id()}`,
    seller: `nobody-${id().slice(0, 8)}`,
    tokenId: id(),
    invitationId: id(),
    identityId: id(),
    grantId: id(),
    teamName: `nobody-${id()}`,
    signerId: id(),
    credentialId: id(),
    custodyId: id(),
    eventId: id(),
    outgoingId: id(),
    approvalId: id(),
    internalApprovalId: id(),
    controlRequestId: id(),
    limitId: id(),
    alarmId: id(),
    registrationId: id(),
    invoiceId: id(),
    disputeId: id(),
    caseId: id(),
    declarationId: id(),
    paymentId: id(),
    paymentRunId: id(),
    bankEntryId: id(),
    billingRuleId: id(),
    agreementId: id(),
    orderId: id(),
    entityId: id(),
    clientInvoiceId: id(),
    clientPaymentId: id(),
    shareId: id(),
    creditId: id(),
    fileId: id(),
    breakId: id(),
    toleranceId: id(),
    batchId: id(),
    jobId: id(),
    endpointId: id(),
    contactId: id(),
    noteId: id(),
    planId: id(),
  };
}

const publicKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'of-the-owner',
  use: 'sig',
  alg: 'EdDSA',
  ads_use: 'request-signing',
  key_ops: ['verify'],
};

/** The seller of all the owner's items. */
const seller = 'prompt';

/** Creates an item of each kind in an organization of an instance, through its endpoints where possible. */
export async function ownEverything(instance: Instance): Promise<Owned> {
  const context = { buyer_ref: `ours-${randomUUID()}` };
  const contextId = `session-${randomUUID()}`;
  const catalogue = await Catalogue.read(instance);
  const wanted = catalogue.packageOf(seller);
  const buy = buyRequest([wanted], {
    context,
    context_id: contextId,
    reporting_webhook: {
      url: 'http://127.0.0.1:9/reports',
      operation_id: 'reports-of-the-owner',
      reporting_frequency: 'daily',
    },
  });
  const { body } = await callTask('REST', instance, 'create_media_buy', buy);
  const [bought] = list(body['packages']);
  const packageId = String(bought?.['package_id']);
  const human = buyRequest([catalogue.packageOf('human')], { context });
  await callTask('REST', instance, 'create_media_buy', human);
  await callTask('REST', instance, 'create_media_buy', olderBuy(buy, wanted));
  const creatives = ['one', 'two'].map((name) => ({
    creative_id: `${name}-of-the-owner`,
    name: `${name}, a creative of the owner`,
    tags: ['tag-of-the-owner'],
    concept_id: 'concept-of-the-owner',
    format_id: list(wanted['creatives'])[0]?.['format_id'],
    assets: { main: { asset_type: 'image', url: 'https://c.example/1.png', width: 300, height: 250 } },
  }));
  await callTask('REST', instance, 'sync_creatives', {
    adcp_version: '3.1',
    idempotency_key: randomUUID(),
    account: buy['account'],
    creatives,
    assignments: [{ creative_id: 'one-of-the-owner', package_id: packageId }],
    ext: { switchyard: { sellers: [packageId.split(':')[0]] } },
  });
  const signals = await callTask('REST', instance, 'get_signals', {
    adcp_version: '3.0',
    signal_spec: 'x',
    account: buy['account'],
    time_budget: { interval: 2, unit: 'seconds' },
  });
  const signalId = String(list(signals.body['signals'])[0]?.['signal_agent_segment_id']);
  await callTask('REST', instance, 'activate_signal', {
    adcp_version: '3.0',
    idempotency_key: randomUUID(),
    account: buy['account'],
    signal_agent_segment_id: signalId,
    destinations: [{ type: 'platform', platform: 'dsp' }],
  });
  await ownAnotherAccount(instance);
  const people = await ownPeople(instance);
  const business = await ownBusiness(instance);
  const finance = await ownFinance(instance);
  const ids = await idsOf(instance);
  const jobId = await ownJob(instance);
  const { endpoint_id: endpointId } = await admin(instance, 'POST', '/v1/endpoints', {
    name: `endpoint ${randomUUID()}`,
    channel: 'webhook',
    url: 'http://127.0.0.1:9/notices',
    kinds: ['month.due'],
  });
  const { contact_id: contactId } = await admin(instance, 'POST', `/v1/sellers/${seller}/contacts`, {
    purpose: 'billing',
    email: 'billing@owner.example',
  });
  const { plan_id: planId } = await admin(instance, 'POST', '/v1/plans', {
    name: 'of the owner',
    shared: true,
  });
  return {
    ...people,
    ...business,
    ...finance,
    ...ids,
    jobId,
    caseId: await ownCase(instance),
    declarationId: await ownDeclaration(instance),
    contactId: String(contactId),
    endpointId: String(endpointId),
    planId: String(planId),
    mediaBuyId: String(body['media_buy_id']),
    packageId,
    productId: String(wanted['product_id']),
    proposalId: String(catalogue.proposalOf('prompt')['proposal_id']),
    pricingOptionId: String(wanted['pricing_option_id']),
    signalId,
    creativeId: 'one-of-the-owner',
    // A creative that no request of the tests overwrites.
    creativeName: 'two, a creative of the owner',
    creativeTag: 'tag-of-the-owner',
    creativeConcept: 'concept-of-the-owner',
    accountBrand: 'roaster.example',
    packageRef: 'part-of-the-owner',
    contextId,
    cursors: await cursorsOf(instance),
    seller,
  };
}

/** A case comes from the event of an agent; here it is a row. */
async function ownCase({ data }: Instance): Promise<string> {
  // The owner's view only reads.
  const database = new pg.Client({ connectionString: ownerUrlOf(data) });
  await database.connect();
  const { rows } = await database.query<{ id: string }>(
    `insert into governance_case (organization_id, id, kind, subject, connection_id, owner, event_id, state, reason,
       deadline, created_at, updated_at)
     select organization_id, gen_random_uuid(), 'rights_revoked', 'grant-of-the-owner', id, slug, gen_random_uuid(), 'done',
       'A test.', now(), now(), now()
     from connection where slug = '${seller}' order by created_at limit 1 returning id`,
  );
  await database.end();
  return rows[0]?.id ?? '';
}

/** A declaration needs a seller that takes them; here it is a row. */
async function ownDeclaration({ data }: Instance): Promise<string> {
  const database = new pg.Client({ connectionString: ownerUrlOf(data) });
  await database.connect();
  const { rows } = await database.query<{ id: string }>(
    `insert into account_declaration (organization_id, id, connection_id, state, account, preview, made_by, made_at)
     select organization_id, gen_random_uuid(), id, 'waiting',
       '{"brand_domain": "declared.example", "operator": "owner.example", "billing": "agent"}',
       '{"effect": "created", "status": "active", "is_trial": true, "errors": [], "warnings": []}',
       (select id from principal p where p.organization_id = c.organization_id order by created_at limit 1), now()
     from connection c where slug = '${seller}' order by created_at limit 1 returning id`,
  );
  await database.end();
  return rows[0]?.id ?? '';
}

/** A job that has ended: its only seller is at an address that is never called. */
async function ownJob(instance: Instance): Promise<string> {
  const row = { slug: 'never-called', agent_url: 'http://10.0.0.1/mcp', protocol: 'mcp', dialect: 'ads' };
  const { job_id: id } = await admin(instance, 'POST', '/v1/sellers/import?respond=async', [row]);
  const jobId = String(id);
  await waitUntil('the end of the job', async () => {
    const { ended_at: endedAt } = await admin(instance, 'GET', `/v1/jobs/${jobId}`);
    return endedAt;
  });
  return jobId;
}

/** A second, closed account: lists of accounts have a second page, and the caller's account is unambiguous. */
async function ownAnotherAccount(instance: Instance): Promise<void> {
  const pair = (domain: string): Json => ({
    brand: { domain },
    operator: 'agency.example',
    billing: 'operator',
  });
  const sync = async (accounts: readonly Json[], more: Json = {}): Promise<void> => {
    const { httpStatus, text } = await callTask('REST', instance, 'sync_accounts', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      accounts,
      ...more,
    });
    if (httpStatus !== 200) throw new Error(`sync_accounts answered ${text}`);
  };
  await sync([pair('roaster.example'), pair('closed.example')]);
  await sync([pair('roaster.example')], { delete_missing: true });
}

/** A buy of the older forms, with its buyer's reference. */
function olderBuy(buy: Json, wanted: Json): Json {
  const { creatives: _creatives, context: _context, ...part } = wanted;
  const reference = `old-${randomUUID()}`;
  return {
    buyer_ref: reference,
    context: { campaign: reference },
    brand_manifest: { url: 'https://roaster.example', name: 'Roaster' },
    start_time: { type: 'asap' },
    end_time: buy['end_time'],
    packages: [{ ...part, buyer_ref: 'part-of-the-owner', creative_ids: ['one-of-the-owner'] }],
  };
}

type People = Pick<
  Owned,
  | 'principalId'
  | 'principalName'
  | 'tokenId'
  | 'invitationId'
  | 'identityId'
  | 'grantId'
  | 'teamName'
  | 'delegationId'
  | 'signerId'
  | 'custodyId'
>;

/** A brand's agent that may use the relay, and has tried to. */
async function ownPeople(instance: Instance): Promise<People> {
  const principalName = 'brand-of-the-owner';
  const made = await admin(instance, 'POST', '/v1/principals', {
    name: principalName,
    kind: 'brand',
    brand_domain: 'brand.example',
    permissions: { media_buys: ['read', 'write'] },
    identity: { kind: 'jwt', issuer: 'https://idp.example', subject: 'the owner' },
  });
  const principalId = String(made['principal_id']);
  const signer = await admin(instance, 'POST', `/v1/principals/${principalName}/signers`, {
    agent_url: 'https://agent.brand.example',
    jwks: { keys: [publicKey] },
  });
  const grant = await admin(instance, 'POST', '/v1/grants', {
    principal: principalName,
    role: 'viewer',
    scope: 'own',
  });
  const teamName = 'team-of-the-owner';
  await admin(instance, 'POST', '/v1/teams', { name: teamName });
  const invitation = await admin(instance, 'POST', '/v1/invitations', {
    email: 'guest@of-the-owner.example',
    role: 'viewer',
    scope: 'own',
  });
  const delegation = await admin(instance, 'POST', '/v1/delegations', {
    principal_id: principalId,
    seller,
    tasks: ['create_media_buy'],
    until: '2099-01-01',
  });
  await send({ url: instance.url, token: String(made['token']) }, 'POST', '/relay/prompt/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'create_media_buy', arguments: {} },
  });
  const custody = await admin(instance, 'GET', '/v1/custody');
  // The first signed document makes the key of the organization itself.
  await admin(instance, 'GET', `/v1/custody/export?principal_id=${principalId}`);
  return {
    principalId,
    principalName,
    teamName,
    tokenId: String(made['token_id']),
    invitationId: String(invitation['invitation_id']),
    identityId: String(list(made['identities'])[0]?.['identity_id']),
    grantId: String(grant['grant_id']),
    signerId: String(signer['signer_id']),
    delegationId: String(delegation['delegation_id']),
    custodyId: String(list(custody['records'])[0]?.['record_id']),
  };
}

type Business = Pick<Owned, 'clientId' | 'brandRowId' | 'campaignId' | 'noteId' | 'ruleId'>;

/** A client with a brand and a campaign. */
async function ownBusiness(instance: Instance): Promise<Business> {
  const post = (path: string, body: Json) => admin(instance, 'POST', path, body);
  const client = await post('/v1/clients', { name: 'client of the owner' });
  const own = { client_id: client['client_id'] };
  const brand = await post('/v1/brands', { ...own, domain: 'brand-of-the-owner.example' });
  const campaign = await post('/v1/campaigns', {
    ...own,
    name: 'campaign of the owner',
    brand: 'brand-of-the-owner.example',
    budget: '1000',
    currency: 'USD',
    from: '2026-01-01',
    to: '2099-01-01',
  });
  const campaignId = String(campaign['campaign_id']);
  const note = await post('/v1/notes', { campaign_id: campaignId, text: 'a note of the owner' });
  const rule = await post(`/v1/campaigns/${campaignId}/rules`, { reference_start: 'of-the-owner' });
  return {
    clientId: String(client['client_id']),
    brandRowId: String(brand['brand_id']),
    campaignId,
    noteId: String(note['note_id']),
    ruleId: String(rule['rule_id']),
  };
}

/** An invoice for nothing that was bought, and the difference that it causes. */
async function ownFinance(
  instance: Instance,
): Promise<
  Pick<Owned, 'invoiceId' | 'disputeId' | 'creditId' | 'breakId' | 'toleranceId' | 'batchId' | 'fileId'>
> {
  const invoice = await admin(instance, 'POST', '/v1/invoices/import', {
    seller,
    file: { name: 'invoice.json', text: JSON.stringify([{ media_buy_id: 'of-nobody', amount: '5' }]) },
    defaults: { invoice_number: 'INV-1', issued_on: '2026-01-31', currency: 'USD' },
  });
  const text =
    'Invoice,Issued,Currency,Month,Seller buy,Amount\nC-1,2026-01-31,USD,2026-01,of-nobody,-2.00\n';
  const credit = await admin(instance, 'POST', '/v1/invoices/import', {
    seller,
    file: { name: 'credit.csv', text },
  });
  const file = await admin(instance, 'POST', '/v1/files', {
    name: 'figures.json',
    bytes: 7,
    sha256: '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
  });
  const run = await admin(instance, 'POST', '/v1/reconciliations', { period: '2026-01' });
  const tolerance = await admin(instance, 'POST', '/v1/tolerances', {
    seller,
    absolute: '0.02',
    percent: '0',
  });
  for (const account of ['seller_payable', 'seller_invoiced'])
    await admin(instance, 'POST', '/v1/journal/accounts', { account, code: '1' });
  const journal = await admin(instance, 'POST', '/v1/journal/exports', { period: '2026-01', format: 'csv' });
  const dispute = await admin(instance, 'POST', '/v1/disputes', {
    invoice_id: String(invoice['invoice_id']),
    amount: '1',
    reason: 'A test.',
  });
  return {
    disputeId: String(dispute['dispute_id']),
    toleranceId: String(tolerance['tolerance_id']),
    batchId: String((journal['batch'] as { readonly batch_id?: string } | null)?.batch_id),
    invoiceId: String(invoice['invoice_id']),
    creditId: String(list(credit['invoices'])[0]?.['invoice_id']),
    fileId: String(file['file_id']),
    breakId: String(list(run['breaks'])[0]?.['break_id']),
  };
}

type Rows = Pick<
  Owned,
  | 'accountId'
  | 'operationId'
  | 'taskId'
  | 'buyerRef'
  | 'legId'
  | 'organizationId'
  | 'credentialId'
  | 'eventId'
  | 'outgoingId'
  | 'approvalId'
  | 'internalApprovalId'
  | 'paymentId'
  | 'paymentRunId'
  | 'bankEntryId'
  | 'billingRuleId'
  | 'agreementId'
  | 'orderId'
  | 'entityId'
  | 'clientInvoiceId'
  | 'clientPaymentId'
  | 'shareId'
  | 'controlRequestId'
  | 'limitId'
  | 'alarmId'
  | 'registrationId'
>;

/** What a client is billed: a legal entity, a rule that is over, and an issued invoice. */
async function insertBilling(client: pg.Client, found: Rows): Promise<void> {
  const of = 'from leg l join operation o on o.id = l.operation_id where l.id = $2';
  const billed =
    'coalesce((select c.id from client c where c.organization_id = l.organization_id limit 1), gen_random_uuid())';
  await client.query(
    `insert into legal_entity (organization_id, id, name, address, tax_id, series, currency, set_by, set_at)
     select l.organization_id, $1, 'of the owner', '{"street":"A","post_code":"","city":"B","country":"DE"}', 'X', 'OWN-',
       'USD', o.principal_id, now() ${of}`,
    [found.entityId, found.legId],
  );
  await client.query(
    `insert into billing_rule (organization_id, id, kind, percent_hundredths, starts_on, ends_on, set_by, set_at)
     select l.organization_id, $1, 'cost_plus', 800, '2020-01-01', '2020-01-31', o.principal_id, now() ${of}`,
    [found.billingRuleId, found.legId],
  );
  await client.query(
    `insert into agreement (organization_id, id, seller, is_capped, first_month, last_month, set_by, set_at)
     select l.organization_id, $1, 'of-nobody', true, '2020-01', '2020-01', o.principal_id, now() ${of}`,
    [found.agreementId, found.legId],
  );
  await client.query(
    `insert into insertion_order (organization_id, id, media_buy_id, seller_buy_id, seller, serial, version, title, document,
       digest, changes, made_by, made_at)
     select l.organization_id, $1, s.media_buy_id, s.id, s.seller, 1, 1, 'of the owner', '{"currency":"USD","total":"1"}',
       repeat('0', 64), '{}', o.principal_id, now()
     from leg l join operation o on o.id = l.operation_id join seller_buy s on s.leg_id = l.id where l.id = $2`,
    [found.orderId, found.legId],
  );
  await client.query(
    `insert into client_invoice (organization_id, id, entity_id, client_id, run_id, kind, state, number, period, currency,
       net_micros, tax_micros, gross_micros, issued_on, due_on, checks, issued_before, made_by, made_at, issued_at)
     select l.organization_id, $1, $3, ${billed}, $1, 'invoice', 'issued', 'OWN-00001', '2020-02', 'USD', 1000000, 0, 1000000,
       '2020-03-01', '2020-03-31', '[]', 0, o.principal_id, now(), now() ${of}`,
    [found.clientInvoiceId, found.legId, found.entityId],
  );
  await client.query(
    `insert into client_invoice_line (organization_id, invoice_id, line, key, type, description, net_micros, tax_hundredths,
       tax_category)
     select l.organization_id, $1, 1, 'of the owner', 'fee', 'A', 1000000, 0, 'Z' ${of}`,
    [found.clientInvoiceId, found.legId],
  );
  await client.query(
    `insert into client_payment (organization_id, id, invoice_id, paid_on, amount_micros, reference, entry_id, recorded_by,
       recorded_at)
     select l.organization_id, $1, $3, '2020-02-01', 1000000, 'of the owner', $1, o.principal_id, now() ${of}`,
    [found.clientPaymentId, found.legId, found.clientInvoiceId],
  );
  await client.query(
    `insert into shared_document (organization_id, id, token_hash, title, document, page, digest, jws, key, made_by, made_at,
       expires_at)
     select l.organization_id, $1, 'of the owner', 'A', '{}', '{}', '', '', '{}', o.principal_id, now(), now() ${of}`,
    [found.shareId, found.legId],
  );
  await client.query(
    `insert into made_document (organization_id, digest, title, made_at)
     select l.organization_id, 'of the owner', 'A', now() from leg l where l.id = $1`,
    [found.legId],
  );
}

/** Ids that no answer contains, or that appear later. An approval and an alarm are inserted directly. */
async function idsOf(instance: Instance): Promise<Rows> {
  const view = await ownerView(instance.data);
  const first = async (sql: string): Promise<Readonly<Record<string, string>>> =>
    waitUntil(sql, async () => (await view.rows<Record<string, string>>(sql))[0]);
  const operation = await first(
    "select id, task_id, buyer_ref from operation where task = 'create_media_buy' and buyer_ref is not null",
  );
  const at = async (table: string, column = 'id'): Promise<string> =>
    (await first(`select ${column} as id from ${table} limit 1`))['id'] ?? '';
  const found: Rows = {
    operationId: operation['id'] ?? '',
    taskId: operation['task_id'] ?? '',
    buyerRef: operation['buyer_ref'] ?? '',
    accountId: (await first('select id from principal_account where closed_at is null limit 1'))['id'] ?? '',
    // Of the tested seller: without a filter the database may return any row first.
    legId:
      (await first(`select id from leg where seller = '${seller}' order by created_at, id limit 1`))['id'] ??
      '',
    credentialId: await tokenOf(first),
    eventId: await at('inbox_event'),
    organizationId: (await first("select id from organization where slug = 'local'"))['id'] ?? '',
    registrationId: await at('webhook_registration'),
    outgoingId: randomUUID(),
    approvalId: randomUUID(),
    internalApprovalId: randomUUID(),
    paymentId: randomUUID(),
    paymentRunId: randomUUID(),
    bankEntryId: randomUUID(),
    billingRuleId: randomUUID(),
    agreementId: randomUUID(),
    orderId: randomUUID(),
    entityId: randomUUID(),
    clientInvoiceId: randomUUID(),
    clientPaymentId: randomUUID(),
    shareId: randomUUID(),
    controlRequestId: randomUUID(),
    limitId: randomUUID(),
    alarmId: randomUUID(),
  };
  await view.close();
  await insertApproval(instance.data, found.approvalId, found.legId);
  const client = new pg.Client(ownerUrlOf(instance.data));
  await client.connect();
  await client.query(
    `insert into alarm (id, organization_id, kind, subject, detail, first_at, last_at, count)
     select $1, organization_id, 'keys_changed', 'https://a.example', '{}', now(), now(), 1 from leg where id = $2`,
    [found.alarmId, found.legId],
  );
  await client.query(
    `insert into payment_run (organization_id, id, number, due_until, pay_on, state, held, proposed_by, proposed_at)
     select l.organization_id, $1, 1, '2026-02-10', '2026-02-10', 'withdrawn', '[]', o.principal_id, now()
     from leg l join operation o on o.id = l.operation_id where l.id = $2`,
    [found.paymentRunId, found.legId],
  );
  await client.query(
    `insert into payment_order (organization_id, id, run_id, seller, currency, amount_micros, state)
     select organization_id, $1, $2, seller, 'USD', 1000000, 'withdrawn' from leg where id = $3`,
    [found.paymentId, found.paymentRunId, found.legId],
  );
  await client.query(
    `insert into bank_entry (organization_id, key, booked_on, currency, amount_micros, text, state, imported_by, imported_at)
     select l.organization_id, $1, '2026-02-10', 'USD', -1000000, 'of the owner', 'open', o.principal_id, now()
     from leg l join operation o on o.id = l.operation_id where l.id = $2`,
    [found.bankEntryId, found.legId],
  );
  await insertBilling(client, found);
  await client.query(
    `insert into outbox_event (id, organization_id, registration_id, principal_id, operation_id, media_buy_id, stream, kind,
       idempotency_key, body, state, attempts, due_at, created_at, ended_at)
     select $1::uuid, l.organization_id, r.id, o.principal_id, o.id, o.media_buy_id, 'of-the-owner', 'task', $1::text, '',
       'refused', 1, now(), now(), now()
     from leg l join operation o on o.id = l.operation_id
     join buyer_registration r on r.organization_id = l.organization_id where l.id = $2 limit 1`,
    [found.outgoingId, found.legId],
  );
  await client.query(
    `insert into internal_approval (id, organization_id, operation_id, task, principal_id, sellers, amount_micros, currency,
       reason, quotes, state, requested_at, expires_at)
     select $1, l.organization_id, o.id, l.task, o.principal_id, array[l.seller], 1, 'USD', 'Over the limit.', '[]', 'open',
       now(), '2099-01-01' from leg l join operation o on o.id = l.operation_id where l.id = $2`,
    [found.internalApprovalId, found.legId],
  );
  await client.query(
    `insert into control_request (organization_id, id, kind, subject, act, based_on, reason, principal_id, state,
       requested_at, expires_at)
     select l.organization_id, $1, 'remove_limit', 'limit on the organization', '{"kind":"remove_limit","limitId":""}',
       '""', 'Removes it.', o.principal_id, 'open', now(), '2099-01-01'
     from leg l join operation o on o.id = l.operation_id where l.id = $2`,
    [found.controlRequestId, found.legId],
  );
  await client.query(
    `insert into spending_limit (id, organization_id, kind, amount_micros, currency, created_at)
     select $1, organization_id, 'organization', 999999999999999, 'USD', now() from leg where id = $2`,
    [found.limitId, found.legId],
  );
  await client.end();
  return found;
}

/** Inserts a seller's approval request for a leg. */
export async function insertApproval(data: string, approvalId: string, legId: string): Promise<void> {
  const client = new pg.Client(ownerUrlOf(data));
  await client.connect();
  await client.query(
    `insert into approval (id, organization_id, operation_id, leg_id, connection_id, seller, task, round,
       question_hash, reason, question, errors, state, requested_at)
     select $1, organization_id, operation_id, id, connection_id, seller, task, 1, 'h', 'Who pays?', '{}', '[]',
       'waiting', now() from leg where id = $2`,
    [approvalId, legId],
  );
  await client.end();
}

/** The seller's credential for us, which an admin may replace. */
async function tokenOf(first: (sql: string) => Promise<Readonly<Record<string, string>>>): Promise<string> {
  const row = await first(
    "select c.credential_id as id from credential c where c.kind = 'bearer' and c.connection_id is not null limit 1",
  );
  return row['id'] ?? '';
}

async function cursorsOf(instance: Instance): Promise<Named['cursors']> {
  const cursors = await Promise.all(
    Object.entries(pageRequests).map(async ([row, requested]) => {
      const task = taskTable[row as keyof typeof taskTable].names.adcp[0];
      // A seller may miss the one second of these requests; then there is only one page.
      const cursor = await waitUntil(`${row} has a second page`, async () => {
        const page = { ...requested, pagination: { max_results: 1 } };
        const { body } = await callTask('REST', instance, task, page);
        const next = (body['pagination'] as Json | undefined)?.['cursor'];
        return typeof next === 'string' ? next : undefined;
      });
      return [row, cursor] as const;
    }),
  );
  return Object.fromEntries(cursors);
}

/** Sends a request of the owner's people that must succeed. */
export async function admin(
  to: { readonly url: string; readonly token: string },
  method: string,
  path: string,
  body?: Json | readonly Json[],
): Promise<Json> {
  const { status, text } = await send(to, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path} answered ${String(status)}: ${text}`);
  return JSON.parse(text) as Json;
}
