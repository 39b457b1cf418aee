import { describe, expect, it } from '@jest/globals';
import { storedTargeting } from './stored-targeting.js';

describe('what a package is to reach', () => {
  it('is kept as it was said, without the tokens of its lists', () => {
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
