import type { MemberRules } from '../release.js';

const commissions = ['commissionable_value'];
const longPeriods = ['weekly', 'quarterly', 'post_campaign'];

/** Targeting that a package may have since 3.2. */
const targeting = [
  ...['geo_places', 'geo_places_exclude', 'demographics', 'property_list_exclude', 'placement_selection'],
  ...['device_platform_exclude', 'browser', 'browser_exclude'],
].map((name) => `..targeting_overlay.${name}`);

const packageMembers = ['min_spend_target', 'bidding', 'daily_budget_cap'];
const evidence = ['audience_evidence_requirements', 'audience_evidence_pins'];
const creativeMembers = ['creatives[].rights'];
const assignmentMembers = ['rotation_mode', 'group_id', 'sequence_position'].map(
  (name) => `creative_assignments[].${name}`,
);

const within = (list: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `${list}[].${name}`);

/** Terms of a whole buy, which are those of its seller: several sellers have no total of theirs. */
const buyTerms = [
  'name',
  'daily_budget_cap',
  'budget_cap_timezone',
  'budget_allocation',
  'pacing',
  'bidding',
];

/** What requests of 3.2 have and those of 3.1 have not. */
export const requests: Readonly<Record<string, MemberRules>> = {
  '*': {
    // Accounts here are pairs of a brand and an operator; each buy has the currency of its prices.
    refused: ['account', 'accounts[]', 'accounts[].account', 'usage[].account'].flatMap((owner) =>
      ['operator_unit', 'currency', 'timezone'].map((name) => `${owner}.${name}`),
    ),
    added: [
      ...['..brand.countries', '..vendor.countries', '..provenance.synthetic_depiction'],
      ...[
        '..logo.file_size_bytes',
        '..logo.pixel_ratio',
        '..format_ids[].pixel_ratio',
        '..format_id.pixel_ratio',
      ],
    ],
  },
  get_products: {
    added: [
      ...['targeting_overlay', 'required_overlay_support'],
      ...['pricing_structures', 'format_kinds', 'format_option_refs', 'audience_evidence_requirements'].map(
        (name) => `filters.${name}`,
      ),
      ...['catalog_item_availability_updates', 'seller_optimized_budget', 'bidding_policy'].map(
        (name) => `filters.required_features.${name}`,
      ),
    ],
    values: { 'filters.required_metrics': commissions },
  },
  create_media_buy: {
    added: [
      ...[...buyTerms, 'opportunity'],
      ...within('packages', [...packageMembers, ...evidence, ...creativeMembers, ...assignmentMembers]),
      ...targeting,
    ],
    values: {
      'packages[].committed_metrics[].metric_id': commissions,
      'reporting_webhook.requested_metrics': commissions,
    },
    binding: ['daily_budget_cap', 'packages[].daily_budget_cap', 'bidding', 'packages[].bidding'],
    shared: ['daily_budget_cap'],
  },
  update_media_buy: {
    added: [
      ...buyTerms,
      ...within('packages', [...packageMembers, ...creativeMembers, ...assignmentMembers]),
      ...within('new_packages', [...packageMembers, ...evidence, ...creativeMembers, ...assignmentMembers]),
      ...targeting,
    ],
    values: {
      'new_packages[].committed_metrics[].metric_id': commissions,
      'reporting_webhook.requested_metrics': commissions,
    },
    binding: [
      ...['total_budget', 'daily_budget_cap', 'bidding', 'packages[].daily_budget_cap', 'packages[].bidding'],
      ...['new_packages[].daily_budget_cap', 'new_packages[].bidding'],
    ],
    shared: ['daily_budget_cap'],
    divided: 'total_budget',
  },
  get_media_buys: { added: ['indicator_types'] },
  get_media_buy_delivery: {
    added: ['reporting_dimensions.demographic', 'reporting_dimensions.spot'],
    values: { time_granularity: longPeriods },
  },
  list_creative_formats: { values: { asset_types: ['zip'] } },
  list_creatives: { added: ['assignment_projection', 'assignment_limit'] },
  sync_creatives: { added: [...creativeMembers, 'creatives[].localization', 'assignment_operations'] },
  get_signals: { values: { fields: ['demographic_predicate'] } },
  report_usage: {
    added: within('usage', ['conversions', 'conversion_value', 'commissionable_value']),
  },
  provide_performance_feedback: {
    added: [
      ...['baseline', 'metric', 'producer', 'vendor', 'methodology', 'methodology_version', 'study_ref'],
      ...['evidence', 'evidence_ref', 'as_of', 'final', 'supersedes_feedback_id'],
    ],
  },
};
