import type { BuyDetail } from '@switchyard/server';

export const specBuySummary = {
  media_buy_id: 'mb_1',
  operation_id: 'o1',
  status: 'paused',
  currency: 'USD',
  total_budget: '1000',
  current_total_budget: '900',
  not_placed: '0',
  start_time: '2026-11-21T12:00:00.000Z',
  end_time: '2026-12-21T12:00:00.000Z',
  created_at: '2026-11-21T12:00:00.000Z',
  client: 'Nova Foods',
  client_id: 'c1',
  brand: 'nova.example',
  brand_name: 'Nova',
  campaign: null,
  campaign_id: null,
  account: 'nova.example by agency.example',
  created_by: 'planner',
  created_by_id: 'p1',
  sellers: [
    { seller: 'acme', status: 'paused', account: 'A-1', has_taken_it: true },
    {
      ...{ seller: 'bravo', status: 'pending_start', account: 'B-1', has_taken_it: false },
      held_by: { target: 'seller:bravo', reason: 'Wrong prices.' },
    },
  ],
  impairments: [],
} as const;

/** A buy that was changed once, with a change whose outcome nobody knows. */
export const specBuy: BuyDetail = {
  ...specBuySummary,
  revision: 2,
  task_id: 't1',
  task_status: 'completed',
  packages: [
    {
      package_id: 'acme:p1',
      seller: 'acme',
      product_id: 'acme:ctv',
      pricing_option_id: 'cpm',
      budget: '600',
      current_budget: '500',
      quoted_terms: { cancellation_policy: { cancellation_fee: { type: 'fixed_fee', amount: 75 } } },
      cancellation_cost: 'A fixed fee is due: 75 USD.',
      terms: { measurement_terms: { billing_measurement: { vendor: { domain: 'counts.example' } } } },
    },
    {
      package_id: 'bravo:p1',
      seller: 'bravo',
      product_id: 'bravo:ctv',
      pricing_option_id: 'cpm',
      budget: '400',
      current_budget: '400',
      quoted_terms: null,
      cancellation_cost: null,
      terms: {},
    },
  ],
  legs: [
    {
      leg_id: 'l2',
      seller: 'acme',
      task: 'update_media_buy',
      operation_id: 'o2',
      requested_at: '2026-11-20T12:00:00.000Z',
      task_status: 'unknown',
      waits_for_person: true,
    },
  ],
  changes: [
    {
      revision: 2,
      at: '2026-11-21T13:00:00.000Z',
      seller: 'acme',
      actor: 'buyer',
      by: 'planner',
      action: 'update_packages',
      package_id: 'acme:p1',
      detail: { budget: '4321.5' },
      operation_id: 'o3',
    },
  ],
};

/** A buy that waits for an approval: no seller has it, so its packages have no ids. */
export const specWaitingBuy: BuyDetail = {
  ...specBuy,
  media_buy_id: 'mb_2',
  status: 'pending_approval',
  packages: specBuy.packages.map((item) => ({ ...item, package_id: '' })),
  legs: [],
  changes: [],
};
