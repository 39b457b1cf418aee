/** The expected result of one storyboard. */
export interface Expected {
  /** Passed steps, over all storyboards that the runner runs for this one. */
  readonly passed: number;
  /** The same over A2A, where its client cannot read refusals; absent: as over MCP. */
  readonly passedOverA2a?: number;
  /** Steps that fail only over A2A, for a reason that the runner's text does not show. */
  readonly failuresOverA2a?: Readonly<Record<string, string>>;
  /** The results of the runner's own example agents with fresh data (passed and failed): `npm run interop:beside`. */
  readonly examples?: readonly [passed: number, failed: number];
  /** Failing steps, each with the cause. None is ours. */
  readonly failures?: Readonly<Record<string, string>>;
  /** Steps that are skipped for another reason than a task that is not offered. */
  readonly skips?: Readonly<Record<string, string>>;
  /** Number of its buys that are answered `submitted` first, so that a webhook reports their end. */
  readonly takenIn?: number;
}

/** Tasks of protocols that this agent does not offer: their steps are skipped, and the steps that depend on them. */
export const notOffered: Readonly<Record<string, string>> = {
  sync_governance: 'governance',
  sync_plans: 'governance',
  check_governance: 'governance',
  create_property_list: 'governance',
  list_property_lists: 'governance',
  create_collection_list: 'governance',
  list_collection_lists: 'governance',
  list_content_standards: 'governance',
  si_initiate_session: 'sponsored intelligence',
  si_send_message: 'sponsored intelligence',
  get_brand_identity: 'brand',
  get_rights: 'brand',
  acquire_rights: 'brand',
  preview_creative: 'creative agents, which build and preview',
  build_creative: 'creative agents, which build and preview',
  sync_catalogs: 'catalogues of goods',
  sync_event_sources: 'conversion events',
  log_event: 'conversion events',
  sync_audiences: 'audiences of buyers',
  get_account_financials: 'the finances of accounts',
};

/** Assertions of the runner that it calls as tools if its conditions for them are not met. */
export const notDispatched = [
  'expect_webhook',
  'expect_webhook_retry_keys_stable',
  'expect_webhook_signature_valid',
  'expect_substitution_safe',
] as const;

const anothersProposal =
  'it refines a proposal of its own example and not the one that it was shown: nobody here made that';

/** The runner's A2A reader uses payloads of completed tasks only; of a failed task it has the text and no members. */
const lostByReader = 'what the failed task says stands in its artifact, which is not read';

/** The order matters: the first one counts the creatives in the library, which later ones add. */
export const storyboards: Readonly<Record<string, Expected>> = {
  pagination_integrity: { passed: 6 },
  get_media_buys_pagination_integrity: { passed: 5 },
  get_signals_pagination_integrity: { passed: 3 },
  pagination_integrity_list_accounts: { passed: 4 },
  // Later ones send creatives with the ids that these two assign, in formats that their products do not accept.
  sales_guaranteed: { passed: 44, passedOverA2a: 39, examples: [42, 0] },
  sales_non_guaranteed: { passed: 37, passedOverA2a: 33, examples: [37, 0] },
  pagination_integrity_creative_formats: {
    passed: 3,
    failures: {
      'pagination_integrity_creative_formats/pagination_walk: Request the first page with max_results=1':
        'it takes the two formats that it seeded for all that there are, and the sellers here list their own',
    },
  },
  deterministic_testing: { passed: 22 },
  capability_discovery: { passed: 2, examples: [2, 0] },
  schema_validation: {
    passed: 9,
    passedOverA2a: 7,
    failuresOverA2a: { 'schema_validation/temporal_validation: Reject reversed flight dates': lostByReader },
    examples: [7, 1],
  },
  v3_envelope_integrity: { passed: 1, examples: [0, 1] },
  error_compliance: {
    passed: 9,
    passedOverA2a: 3,
    failuresOverA2a: {
      'error_compliance/error_structure: Validate error response structure': lostByReader,
      'error_compliance/error_transport: Validate error transport binding': lostByReader,
    },
    examples: [7, 2],
  },
  security_baseline: { passed: 7, examples: [0, 1] },
  idempotency: {
    passed: 2,
    examples: [1, 2],
    failures: {
      'idempotency/replay_same_payload: Initial create_media_buy with fresh key':
        'all its checks of the answer pass; the storyboard then takes the key out of the answer, where no release has one',
    },
  },
  webhook_emission: { passed: 6, examples: [1, 2], takenIn: 2 },
  media_buy_seller: {
    passed: 58,
    passedOverA2a: 48,
    failuresOverA2a: {
      'media_buy_seller/creative_fate_after_cancellation/cancel_buy: update_media_buy with canceled: true':
        'its client takes the status of the buy, as release 3.0 says it, for that of the task',
      'media_buy_seller/create_media_buy_async/submitted_arm_response: Call create_media_buy and observe the submitted envelope':
        'it looks for interim data in an artifact; it stands in the message of the status',
    },
    examples: [51, 4],
  },
  'media_buy_seller/create_media_buy_async': { passed: 4 },
  media_buy_state_machine: { passed: 9 },
  sales_catalog_driven: { passed: 27 },
  sales_proposal_mode: {
    passed: 36,
    failures: {
      'media_buy_seller/proposal_finalize/refine_proposal: Refine a specific proposal': anothersProposal,
      'sales_proposal_mode/review_refine: Refine a specific proposal': anothersProposal,
    },
  },
  sales_social: { passed: 4 },
  audience_sync: {
    passed: 1,
    failures: {
      'audience_sync/account_setup: Discover or create account':
        'it wants an account of a buyer that has declared none; the audiences that it goes on to are not offered',
    },
  },
  governance_aware_seller: { passed: 13 },
  creative_lifecycle: { passed: 5 },
  creative_sales_agent: { passed: 3 },
  'creative_generative/seller': {
    passed: 21,
    failures: {
      'creative_generative/seller/creative_brief_sync: Send creative brief via sync_creatives':
        'it assigns to a package by a name of its own, which it never bought',
    },
  },
  signals_baseline: { passed: 4, examples: [4, 0] },
  signal_marketplace: { passed: 8, examples: [7, 0] },
  signal_owned: {
    passed: 3,
    failures: {
      'signal_owned/platform_activation: Activate owned signal on a DSP':
        'it activates a signal of its own test kit, which it neither found here nor seeds: no scenario seeds signals',
    },
  },
};

/** Storyboards that only use protocols which are not offered here. */
export const notApplicable: readonly string[] = [
  'pagination_integrity_collection_lists',
  'pagination_integrity_content_standards',
  'pagination_integrity_property_lists',
  'brand_baseline',
  'brand_rights',
  'si_baseline',
  'media_buy_governance_escalation',
  'governance_delivery_monitor',
  'governance_spend_authority',
  'governance_spend_authority/denied',
  'collection_lists',
  'content_standards',
  'property_lists',
  'creative_ad_server',
  'creative_generative',
  'creative_template',
];

/** Storyboards that are not run, with the reason. */
export const notRun: Readonly<Record<string, string>> = {
  signed_requests:
    'its vectors want keys and a cap of their own at the verifier; our suites of signatures run them',
  sales_broadcast_tv:
    'it registers no address for reports and waits half a minute for some; broadcast is not claimed. 43 passed, 1 failed',
};

/** Run separately, with an instance of their own: the runner counts repeated webhooks only after 90 seconds. */
export const unhurried: readonly string[] = ['webhook_emission'];

/** Run over A2A too: storyboards about tasks and their answers, not about the transport. */
export const overA2a: readonly string[] = [
  'get_media_buys_pagination_integrity',
  'get_signals_pagination_integrity',
  'pagination_integrity_list_accounts',
  'deterministic_testing',
  'capability_discovery',
  'schema_validation',
  'v3_envelope_integrity',
  'error_compliance',
  'sales_guaranteed',
  'sales_non_guaranteed',
  'media_buy_seller',
  'creative_lifecycle',
  'signals_baseline',
  'signal_marketplace',
];
