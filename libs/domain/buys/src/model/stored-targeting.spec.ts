import { describe, expect, it } from '@jest/globals';
import { storedTargeting } from './stored-targeting.js';

describe('the targeting of a package', () => {
  it('is stored as requested, without the tokens of its lists', () => {
    const list = { agent_url: 'https://lists.example', list_id: 'one' };
    expect(
      storedTargeting({
        geo_countries: ['US'],
        property_list: { ...list, auth_token: 'secret' },
        collection_lists: [{ ...list, auth_token: 'secret' }],
      }),
    ).toEqual({ geo_countries: ['US'], property_list: list, collection_lists: [list] });
  });
});
