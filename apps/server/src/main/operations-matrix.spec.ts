import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  hashToken,
  newToken,
  permissionTable,
  programPermissions,
  type Permissions,
  type TokenMatch,
} from '@switchyard/tenancy';
import { adminRoutes } from './routes.js';
import { now, openHttpHarness, type HttpHarness } from './testkit/http-harness.js';

/**
 * Who may do what outside the tasks: the one permission that opens each route. The rule is written here a second time on
 * purpose, so that no route is added, and none is opened wider, without somebody deciding it.
 */
const cells: Readonly<Record<string, `${string}.${string}` | 'a_credential' | 'own_session'>> = {
  instance: 'sellers.read',
  list_events: 'reports.read',
  show_event: 'reports.read',
  export_events: 'reports.read',
  start_export_events: 'reports.read',
  preview_event: 'ledger.read',
  admit_event: 'ledger.approve',
  dismiss_event: 'ledger.approve',
  list_approvals: 'media_buys.read',
  answer_approval: 'media_buys.approve',
  dismiss_approval: 'media_buys.approve',
  list_audit: 'principals.read',
  show_approval: 'a_credential',
  approve_request: 'a_credential',
  deny_request: 'a_credential',
  withdraw_request: 'a_credential',
  list_all_accounts: 'principals.read',
  set_account_status: 'principals.write',
  list_organizations: 'principals.read',
  add_organization: 'principals.write',
  show_organization: 'principals.read',
  set_organization: 'principals.write',
  prove_organization: 'principals.write',
  list_alarms: 'sellers.read',
  acknowledge_alarm: 'sellers.approve',
  list_refused_signatures: 'principals.read',
  list_delegations: 'delegations.read',
  grant_delegation: 'delegations.write',
  revoke_delegation: 'delegations.delete',
  relay_address: 'delegations.read',
  list_custody: 'delegations.read',
  show_custody: 'delegations.read',
  export_custody: 'delegations.read',
  start_export_custody: 'delegations.read',
  verify_custody: 'delegations.read',
  start_verify_custody: 'delegations.read',
  list_sellers: 'sellers.read',
  add_seller: 'sellers.write',
  find_sellers: 'sellers.write',
  add_found_seller: 'sellers.write',
  list_drafts: 'sellers.read',
  seller_checks: 'sellers.read',
  seller_report: 'sellers.read',
  approve_seller: 'sellers.approve',
  discard_seller: 'sellers.write',
  show_seller_calendar: 'ledger.read',
  set_seller_calendar: 'ledger.write',
  remove_seller_calendar: 'ledger.write',
  restate_seller_days: 'ledger.write',
  list_seller_accounts: 'sellers.read',
  sync_seller_accounts: 'sellers.write',
  use_seller_account: 'sellers.write',
  release_seller_account: 'sellers.write',
  declare_seller_account: 'sellers.write',
  list_declarations: 'sellers.read',
  show_declaration: 'sellers.read',
  approve_declaration: 'sellers.approve',
  withdraw_declaration: 'sellers.write',
  list_client_logins: 'sellers.read',
  set_end_of_credential: 'sellers.write',
  set_client_login: 'sellers.write',
  end_client_login: 'sellers.write',
  import_sellers: 'sellers.write',
  preview_seller_file: 'sellers.write',
  import_seller_file: 'sellers.write',
  list_jobs: 'a_credential',
  show_job: 'a_credential',
  read_job_file: 'a_credential',
  list_job_faults: 'a_credential',
  cancel_job: 'a_credential',
  retry_job: 'a_credential',
  list_notices: 'a_credential',
  read_notices: 'a_credential',
  unread_notices: 'a_credential',
  show_notice_settings: 'a_credential',
  set_notice_settings: 'a_credential',
  list_notes: 'clients.read',
  add_note: 'clients.write',
  change_note: 'clients.write',
  remove_note: 'clients.write',
  list_plans: 'media_buys.read',
  show_plan: 'media_buys.read',
  add_plan: 'media_buys.write',
  change_plan: 'media_buys.write',
  remove_plan: 'media_buys.write',
  list_endpoints: 'principals.read',
  add_endpoint: 'principals.write',
  test_endpoint: 'principals.write',
  pause_endpoint: 'principals.write',
  resume_endpoint: 'principals.write',
  rotate_endpoint: 'principals.write',
  remove_endpoint: 'principals.delete',
  list_endpoint_deliveries: 'principals.read',
  resend_delivery: 'principals.write',
  list_contacts: 'sellers.read',
  add_contact: 'sellers.write',
  change_contact: 'sellers.write',
  remove_contact: 'sellers.write',
  show_seller: 'sellers.read',
  seller_scorecard: 'sellers.read',
  list_scorecard_thresholds: 'sellers.read',
  set_scorecard_threshold: 'sellers.write',
  accept_seller_changes: 'sellers.approve',
  test_seller: 'sellers.write',
  edit_seller: 'sellers.write',
  suspend_seller: 'sellers.write',
  resume_seller: 'sellers.write',
  remove_seller: 'sellers.delete',
  list_buys: 'media_buys.read',
  search: 'media_buys.read',
  show_buy: 'media_buys.read',
  settle_leg: 'media_buys.approve',
  preview_buy: 'media_buys.write',
  ledger_spend: 'ledger.read',
  export_spend: 'ledger.read',
  start_export_spend: 'ledger.read',
  list_limits: 'ledger.read',
  set_limit: 'ledger.write',
  remove_limit: 'ledger.write',
  end_commitment: 'ledger.write',
  list_rates: 'ledger.read',
  set_rate: 'ledger.write',
  import_rates: 'ledger.write',
  ledger_verify: 'ledger.read',
  ledger_verify_anchors: 'ledger.read',
  list_ledger_anchors: 'ledger.read',
  make_ledger_anchor: 'ledger.read',
  ledger_entries: 'ledger.read',
  ledger_export: 'ledger.read',
  start_ledger_export: 'ledger.read',
  list_clients: 'clients.read',
  add_client: 'clients.write',
  show_client: 'clients.read',
  change_client: 'clients.write',
  list_brands: 'clients.read',
  add_brand: 'clients.write',
  show_brand: 'clients.read',
  change_brand: 'clients.write',
  list_campaigns: 'clients.read',
  add_campaign: 'clients.write',
  show_campaign: 'clients.read',
  show_campaign_advice: 'ledger.read',
  follow_campaign_advice: 'media_buys.write',
  show_campaign_pause: 'media_buys.read',
  pause_campaign: 'media_buys.write',
  resume_campaign: 'media_buys.write',
  change_campaign: 'clients.write',
  assign_buy: 'clients.write',
  unassign_buy: 'clients.write',
  list_campaign_rules: 'clients.read',
  add_campaign_rule: 'clients.write',
  remove_campaign_rule: 'clients.write',
  list_first_deeds: 'media_buys.read',
  show_practice_clock: 'media_buys.read',
  move_practice_clock: 'media_buys.write',
  list_creative_files: 'creatives.read',
  upload_creative_file: 'creatives.write',
  remove_creative_file: 'creatives.write',
  announce_file: 'ledger.write',
  put_file_part: 'ledger.write',
  import_figures: 'ledger.write',
  pull_figures: 'ledger.write',
  attach_to_invoice: 'ledger.write',
  import_invoice: 'ledger.write',
  preview_invoices: 'ledger.write',
  void_invoice: 'ledger.write',
  write_off_invoice: 'ledger.write',
  hold_invoice: 'ledger.write',
  release_invoice: 'ledger.write',
  approve_invoice: 'ledger.approve',
  unapprove_invoice: 'ledger.approve',
  apply_credit: 'ledger.write',
  unapply_credit: 'ledger.write',
  list_cases: 'sellers.read',
  show_case: 'sellers.read',
  act_on_case: 'sellers.write',
  list_disputes: 'ledger.read',
  show_dispute: 'ledger.read',
  show_dispute_letter: 'ledger.read',
  open_dispute: 'ledger.write',
  answer_dispute: 'ledger.write',
  close_dispute: 'ledger.write',
  reopen_dispute: 'ledger.write',
  list_invoices: 'ledger.read',
  show_invoice: 'ledger.read',
  pay_invoice: 'ledger.write',
  list_invoice_payments: 'ledger.read',
  list_payments: 'ledger.read',
  show_payment_run: 'ledger.read',
  propose_payments: 'ledger.write',
  approve_payments: 'ledger.approve',
  withdraw_payments: 'ledger.write',
  export_payments: 'ledger.write',
  record_payment: 'ledger.write',
  void_payment: 'ledger.write',
  import_bank_statement: 'ledger.write',
  list_bank_accounts: 'ledger.read',
  list_bank_entries: 'ledger.read',
  set_bank_entry_aside: 'ledger.write',
  bring_bank_entry_back: 'ledger.write',
  set_bank_account: 'ledger.write',
  list_legal_entities: 'ledger.read',
  set_legal_entity: 'ledger.write',
  list_billed_clients: 'ledger.read',
  set_billed_client: 'ledger.write',
  list_billing_rules: 'ledger.read',
  set_billing_rule: 'ledger.write',
  end_billing_rule: 'ledger.write',
  list_billing: 'ledger.read',
  run_billing: 'ledger.write',
  show_client_aging: 'ledger.read',
  show_margin: 'ledger.read',
  show_client_invoice: 'ledger.read',
  issue_client_invoice: 'ledger.approve',
  withdraw_client_invoice: 'ledger.write',
  credit_client_invoice: 'ledger.write',
  record_client_payment: 'ledger.write',
  void_client_payment: 'ledger.write',
  remind_client: 'ledger.write',
  render_client_invoice: 'ledger.read',
  list_shares: 'ledger.read',
  share_document: 'ledger.write',
  revoke_share: 'ledger.write',
  list_terms: 'ledger.read',
  set_term: 'ledger.write',
  show_aging: 'ledger.read',
  list_orders: 'media_buys.read',
  make_orders: 'media_buys.write',
  render_order: 'media_buys.read',
  list_agreements: 'ledger.read',
  set_agreement: 'ledger.write',
  end_agreement: 'ledger.write',
  list_tolerances: 'ledger.read',
  set_tolerance: 'ledger.write',
  remove_tolerance: 'ledger.write',
  list_book_codes: 'ledger.read',
  set_book_code: 'ledger.write',
  export_journal: 'ledger.write',
  list_journal_batches: 'ledger.read',
  render_journal_batch: 'ledger.read',
  show_journal_batch: 'ledger.read',
  list_pacing: 'ledger.read',
  list_periods: 'ledger.read',
  show_period: 'ledger.read',
  show_checklist: 'ledger.read',
  list_accruals: 'ledger.read',
  set_close_step: 'ledger.write',
  close_period: 'ledger.approve',
  reopen_period: 'ledger.approve',
  withdraw_reopening: 'ledger.approve',
  reconcile: 'ledger.write',
  list_breaks: 'ledger.read',
  show_break: 'ledger.read',
  show_break_evidence: 'ledger.read',
  assign_break: 'ledger.write',
  comment_break: 'ledger.write',
  resolve_break: 'ledger.write',
  make_statement: 'ledger.read',
  list_credentials: 'sellers.read',
  rotate_credential: 'sellers.write',
  roll_back_credential: 'sellers.write',
  revoke_credential: 'sellers.delete',
  rewrap_credentials: 'sellers.approve',
  list_grants: 'principals.read',
  add_grant: 'principals.write',
  remove_grant: 'principals.delete',
  list_teams: 'principals.read',
  add_team: 'principals.write',
  rename_team: 'principals.write',
  remove_team: 'principals.delete',
  add_team_member: 'principals.write',
  remove_team_member: 'principals.delete',
  list_roles: 'principals.read',
  set_role: 'principals.write',
  list_outgoing_events: 'reports.read',
  show_outgoing_event: 'reports.read',
  resend_outgoing_event: 'media_buys.write',
  resend_failed_events: 'media_buys.write',
  list_needs: 'a_credential',
  show_me: 'a_credential',
  list_stops: 'sellers.read',
  set_stop: 'sellers.approve',
  end_stop: 'sellers.approve',
  list_keys: 'principals.read',
  rotate_key: 'principals.write',
  list_principals: 'principals.read',
  add_principal: 'principals.write',
  restore_principal: 'principals.write',
  archive_ledger: 'principals.write',
  write_report_files: 'ledger.write',
  revoke_principal: 'principals.delete',
  add_token: 'principals.write',
  add_sign_in_link: 'principals.write',
  set_password: 'own_session',
  show_sign_in: 'own_session',
  show_again: 'own_session',
  show_sign_in_policy: 'principals.read',
  set_sign_in_policy: 'principals.write',
  export_organization: 'principals.write',
  start_export_organization: 'principals.write',
  delete_organization: 'principals.delete',
  show_organization_deletion: 'principals.read',
  keep_organization: 'principals.delete',
  erase_person: 'principals.delete',
  show_quotas: 'principals.read',
  set_quotas: 'principals.write',
  show_scim: 'principals.read',
  allow_scim: 'principals.write',
  add_scim_token: 'principals.write',
  end_scim: 'principals.delete',
  show_sign_in_provider: 'principals.read',
  set_sign_in_provider: 'principals.write',
  remove_sign_in_provider: 'principals.delete',
  begin_totp: 'own_session',
  confirm_totp: 'own_session',
  remove_totp: 'own_session',
  renew_recovery_codes: 'own_session',
  begin_passkey: 'own_session',
  add_passkey: 'own_session',
  remove_passkey: 'own_session',
  remove_provider_link: 'own_session',
  list_sessions: 'own_session',
  end_own_session: 'own_session',
  show_assistant_act: 'own_session',
  confirm_assistant_act: 'own_session',
  decline_assistant_act: 'own_session',
  end_other_sessions: 'own_session',
  list_programs: 'own_session',
  end_program: 'own_session',
  list_invitations: 'principals.read',
  add_invitation: 'principals.write',
  withdraw_invitation: 'principals.delete',
  reset_factors: 'principals.write',
  rotate_token: 'principals.write',
  add_identity: 'principals.write',
  remove_identity: 'principals.delete',
  revoke_token: 'principals.delete',
  list_signers: 'principals.read',
  add_signer: 'principals.write',
  remove_signer: 'principals.delete',
  mint_token: 'principals.write',
};

/**
 * What a program that acts for a person may do there with every scope, beside reading. Written a second time on purpose:
 * everything else is done by a person.
 */
const programsMay =
  'upload_creative_file add_contact change_contact remove_contact add_plan change_plan remove_plan export_journal change_brand preview_buy add_campaign assign_buy unassign_buy add_client import_figures pull_figures announce_file put_file_part import_invoice preview_invoices attach_to_invoice make_ledger_anchor ledger_verify_anchors resend_outgoing_event resend_failed_events reconcile assign_break comment_break test_seller sync_seller_accounts suspend_seller make_orders make_statement start_export_custody start_export_events start_export_spend start_ledger_export start_verify_custody'.split(
    ' ',
  );

const every = Object.entries(permissionTable).flatMap(([area, kinds]) =>
  kinds.map((kind) => `${area}.${kind}`),
);

function holding(pairs: readonly string[]): Permissions {
  const held: Record<string, string[]> = {};
  for (const pair of pairs) {
    const [area = '', kind = ''] = pair.split('.');
    (held[area] ??= []).push(kind);
  }
  return held;
}

/** A token for each set of permissions that is asked for. */
const tokens = new Map<string, { readonly text: string; readonly match: TokenMatch }>();

function tokenOf(pairs: readonly string[], program?: string): string {
  const name = [...pairs, program ?? ''].join(' ');
  const known = tokens.get(name);
  if (known !== undefined) return known.text;
  const { text, hash } = newToken(Buffer.alloc(32, tokens.size + 1));
  const id = `00000000-0000-4000-8000-${String(tokens.size + 1).padStart(12, '0')}`;
  const principal = {
    id,
    organizationId: '00000000-0000-4000-8000-00000000000a',
    name,
    kind: 'service' as const,
    permissions: holding(pairs),
    ...(program !== undefined && { program }),
    transitional: false,
    legacy: false,
  };
  const token = { id, principalId: id, scheme: 'bearer' as const, hash, label: 'spec', createdAt: 0 };
  tokens.set(name, { text, match: { principal, token: { ...token, expiresAt: now + 60_000 } } });
  return text;
}

let http: HttpHarness;
beforeAll(async () => {
  http = await openHttpHarness(
    {},
    {
      principals: {
        find: () => Promise.resolve(undefined),
        findByTokenHash: (hash) =>
          Promise.resolve([...tokens.values()].find(({ text }) => hashToken(text).equals(hash))?.match),
        issueToken: () => Promise.reject(new Error('No session is opened here.')),
        revokeToken: () => Promise.resolve(false),
        noteUse: () => Promise.resolve(),
      },
    },
  );
});
afterAll(() => http.close());

const statusOf = async (...of: Parameters<typeof answerTo>): Promise<number> =>
  (await answerTo(...of)).status;

async function answerTo(
  row: (typeof adminRoutes)[number],
  token?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(http.url + row.path.replaceAll(/\{\w+\}/g, 'x'), {
    method: row.method.toUpperCase(),
    headers: {
      ...(row.method === 'post' ? { 'content-type': 'application/json' } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    // Nothing that any route takes: who may is decided before what is asked is looked at.
    ...(row.method === 'post' ? { body: '[' } : {}),
  });
  return { status: answer.status, text: await answer.text() };
}

describe('access to every route of administration', () => {
  it.each(adminRoutes.map((row) => [row.id, row] as const))(
    '%s needs its one permission',
    async (id, row) => {
      const needed = cells[id] ?? 'no cell';
      expect([id, 'nobody', await statusOf(row)]).toEqual([id, 'nobody', 401]);
      if (needed === 'a_credential')
        return expect([401, 403]).not.toContain(await statusOf(row, tokenOf([])));
      if (needed === 'own_session')
        return expect([id, 'a token', await statusOf(row, tokenOf(every))]).toEqual([id, 'a token', 403]);
      expect(every).toContain(needed);
      expect([id, 'none', await statusOf(row, tokenOf([]))]).toEqual([id, 'none', 403]);
      const others = every.filter((text) => text !== needed);
      expect([id, 'all others', await statusOf(row, tokenOf(others))]).toEqual([id, 'all others', 403]);
      expect([401, 403]).not.toContain(await statusOf(row, tokenOf([needed])));
    },
  );

  it('has a cell for each route, and no other', () => {
    expect(Object.keys(cells).toSorted()).toEqual(adminRoutes.map(({ id }) => id).toSorted());
  });
});

describe('a program with every scope', () => {
  const programs = Object.entries(programPermissions).flatMap(([area, kinds]) =>
    kinds.map((kind) => `${area}.${kind}`),
  );

  it('may do this, and is told of everything else that a person does it', async () => {
    const may: string[] = [];
    for (const row of adminRoutes) {
      const { status, text } = await answerTo(row, tokenOf(programs, 'client_1'));
      if (status !== 403) may.push(row.id);
      else expect([row.id, JSON.parse(text)]).toMatchObject([row.id, { code: 'PERSON_REQUIRED' }]);
    }
    const reads = adminRoutes.filter(
      ({ method, needs, byPerson }) => method === 'get' && needs !== 'own_session' && byPerson !== true,
    );
    expect(may.toSorted()).toEqual([...new Set([...reads.map(({ id }) => id), ...programsMay])].toSorted());
  });

  it('is refused the same with every permission there is', async () => {
    for (const row of adminRoutes.filter(({ id, method }) => method !== 'get' && !programsMay.includes(id)))
      expect([row.id, (await answerTo(row, tokenOf(every, 'client_1'))).status]).toEqual([row.id, 403]);
  });
});
