import { describe, expect, it } from '@jest/globals';
import type { KnownCampaign, KnownOfBrand } from '../model/campaign.js';
import { findCampaign } from './find-campaign.js';

const campaign = (id: string, clientId: string): KnownCampaign => ({
  id,
  clientId,
  brandDomain: 'house.example',
  brandId: '',
  status: 'active',
});

/** A domain whose brands are of two clients. Each has a campaign of the domain, with a rule. */
const house: KnownOfBrand = {
  brands: [
    { brandId: 'soap', clientId: 'one' },
    { brandId: 'soup', clientId: 'two' },
  ],
  clients: [
    { id: 'one', name: 'One' },
    { id: 'two', name: 'Two' },
  ],
  campaigns: [],
  rules: [
    { id: 'rule-one', campaign: campaign('k1', 'one'), brandDomain: 'house.example', referenceStart: 'q' },
    { id: 'rule-two', campaign: campaign('k2', 'two'), brandDomain: 'house.example' },
  ],
};

describe('a rule', () => {
  it.each([
    ['soap', 'one', 'k1'],
    ['soup', 'two', 'k2'],
  ])(
    'assigns a buy of the brand %s to its own client, if brands of a domain have several',
    (brandId, id, of) => {
      expect(findCampaign({ domain: 'house.example', brandId }, { loose: [] }, house)).toMatchObject({
        value: { client: { id }, campaignId: of, source: 'rule' },
      });
    },
  );
});
