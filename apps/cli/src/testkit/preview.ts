/** What a dry run of a buy answers: over a limit whose amounts the caller may see. */
export const specPreview = {
  outcome: 'approval',
  currency: 'USD',
  total: '2500',
  client: null,
  client_id: null,
  brand: 'nova.example',
  brand_name: null,
  campaign: null,
  campaign_id: null,
  approval_reason: 'A buy above 2000 USD needs an internal approval.',
  sellers: [{ seller: 'acme', total: '2500', ok: true, problems: [], findings: [] }],
  problems: [],
  findings: [],
  limits: [
    {
      for: 'each-buy',
      currency: 'USD',
      per: null,
      above: 'ask',
      exceeded: true,
      limit: '2000',
      left: '2000',
      requested: '2500',
      left_after: '0',
    },
  ],
};
