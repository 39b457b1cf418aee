import type { taskTable } from '@switchyard/protocol';

/** Request members whose texts identify no item of an owner, with the reason. */
interface NamesNothing {
  /** Members by name, or by name and parents. Each includes all members inside it. */
  readonly members: readonly string[];
  /** The tasks to which it applies; absent: all. */
  readonly of?: readonly (keyof typeof taskTable)[];
  readonly why: string;
}

/**
 * Every place in a request that can contain a text must be named by the requests of the isolation tests, or be listed
 * here. A new member fails the tests until it is in one of the two.
 */
export const namesNothing: readonly NamesNothing[] = [
  {
    members: ['ads_version', 'adcp_version'],
    why: 'The release that the caller speaks.',
  },
  {
    members: ['idempotency_key'],
    why: 'The tests of isolation send a key of another organization by itself, with a body of the caller.',
  },
  {
    members: ['context', 'ext'],
    why: 'Comes back as it was sent, and nothing is found by it; our own wish inside ext is a boolean.',
  },
  {
    members: ['governance_context'],
    why: 'A token of the agent that governs the buyer, carried and not read.',
  },
  {
    members: ['account.brand', 'account.operator', 'filters.accounts.brand', 'filters.accounts.operator'],
    why: 'A pair is the account of whoever uses it: two organizations that say the same pair have an account each. sync_accounts is asked with the pair of another.',
  },
  {
    members: [
      'push_notification_config',
      'reporting_webhook',
      'artifact_webhook',
      'accounts.notification_configs',
    ],
    why: 'Where the caller wants to be told, in its own words; an address is registered for it, and none is found by them.',
  },
  {
    members: ['accounts.operator', 'accounts.brand.brand_id'],
    why: 'The rest of the pair whose brand is named beside it.',
  },
  {
    members: ['brand', 'brand_manifest'],
    of: ['getProducts', 'createMediaBuy'],
    why: 'Whom the caller advertises: published by the brand itself.',
  },
  {
    members: [
      'accounts.brand.industries',
      'accounts.brand.data_subject_contestation',
      'accounts.brand.brand_kit_override',
    ],
    why: 'What a brand says of itself, beside the domain that names it.',
  },
  {
    members: ['publisher_domain', 'property_id'],
    of: ['listCreativeFormats'],
    why: 'A publisher and its property, whose formats sellers are asked for as they stand.',
  },
  {
    members: [
      'filters.exclusivity',
      'filters.required_features',
      'filters.trusted_match',
      'filters.regions',
      'filters.metros',
      'filters.postal_areas',
      'filters.geo_proximity',
      'filters.keywords',
      'filters.required_geo_targeting',
      'filters.required_axe_integrations',
      'filters.required_performance_standards',
      'filters.required_metrics',
      'filters.required_vendor_metrics',
      'filters.video_placement_types',
      'filters.audio_distribution_types',
      'filters.sponsored_placement_types',
      'filters.social_placement_surfaces',
    ],
    of: ['getProducts'],
    why: 'What a product must be or to have, in public words: sellers choose by it, and nothing of anybody is found by it.',
  },
  {
    members: ['packages.targeting_overlay', 'new_packages.targeting_overlay'],
    why: 'Whom a package is to reach: public words, and lists, audiences and signals of its own seller, who alone reads them. Those that we read, in groups, are named by the tests.',
  },
  {
    members: ['filters.signal_targeting'],
    of: ['getProducts'],
    why: 'Signals of the catalogues of agents, by which sellers choose among their own products.',
  },
  {
    members: ['publisher_domains', 'data_providers', 'catalog', 'property_list'],
    why: 'Published, or kept at an agent that the request names.',
  },
  {
    members: [
      'format',
      'formats',
      'format_id',
      'format_ids',
      'format_kind',
      'format_types',
      'asset_types',
      'name_search',
      'type',
      'input_format_ids',
      'output_format_ids',
      'wcag_level',
      'disclosure_positions',
      'disclosure_persistence',
    ],
    why: 'Formats of creatives are a public vocabulary.',
  },
  {
    members: [
      'channels',
      'countries',
      'currency',
      'pricing_currencies',
      'catalog_types',
      'preferred_delivery_types',
      'required_policies',
      'advertiser_industry',
      'pacing',
      'protocol',
      'protocols',
      'filters.domain',
      'filters.domains',
      'task_type',
      'task_types',
      'status',
      'statuses',
      'status_filter',
      'payment_terms',
      'preferred_reporting_protocol',
      'measurement_window',
    ],
    why: 'Words of the protocol.',
  },
  {
    members: ['fields', 'options', 'time_budget', 'reporting_dimensions', 'attribution_window'],
    why: 'Says how to answer, and not about what.',
  },
  {
    members: [
      'start_time',
      'end_time',
      'start_date',
      'end_date',
      'date_range',
      'created_after',
      'created_before',
      'updated_after',
      'updated_before',
      'reporting_period',
      'measurement_period',
      'finalized_at',
    ],
    why: 'Times.',
  },
  {
    members: ['total_budget'],
    why: 'Money.',
  },
  {
    members: ['brief', 'signal_spec', 'reason', 'cancellation_reason'],
    why: 'Prose for sellers.',
  },
  {
    members: ['if_wholesale_feed_version', 'if_pricing_version'],
    why: 'Versions of the whole market as the caller saw it: none is kept that could be another organization’s.',
  },
  {
    members: ['signal_ids', 'signal_refs'],
    of: ['getSignals'],
    why: 'Ids of the catalogues of data providers, asked of the agents of the caller as they stand.',
  },
  {
    members: ['deployments', 'destinations'],
    why: 'Platforms, and accounts at them, that agents of the caller are told of as they stand.',
  },
  {
    members: ['creatives.name', 'creatives.tags', 'creatives.assets'],
    of: ['syncCreatives'],
    why: 'What the creative is: written, and nothing is found by it.',
  },
  {
    members: ['placement_ids'],
    why: 'Places of a seller’s inventory, told to the seller of the package beside them.',
  },
  {
    members: ['packages.buyer_ref'],
    of: ['createMediaBuy'],
    why: 'What the caller will call a package that is not there yet.',
  },
  {
    members: ['new_packages.buyer_ref'],
    why: 'What the caller will call a package that is not there yet.',
  },
  {
    members: ['po_number', 'agency_estimate_number', 'invoice_recipient', 'billing_entity'],
    why: 'What stands on the caller’s own invoices.',
  },
  {
    members: ['io_acceptance'],
    why: 'Says yes to the order of the proposal that stands beside it, which is found by its own id.',
  },
  {
    members: ['plan_id'],
    why: 'A plan of the agent that governs the buyer, carried and not read.',
  },
  {
    members: ['usage.build_variant_id'],
    why: 'A variant that a vendor built, told to the vendor whom the record’s other ids name.',
  },
];

/** Returns the entries for this place of a task's request. */
export function namesNothingAt(row: keyof typeof taskTable, place: string): readonly NamesNothing[] {
  const path = `.${place.replaceAll('[]', '')}.`;
  return namesNothing.filter(
    ({ members, of }) =>
      (of === undefined || of.includes(row)) && members.some((member) => path.includes(`.${member}.`)),
  );
}
