import { describe, expect, it } from '@jest/globals';
import { sentAssets } from './creative-assets.js';

const zip = { asset_type: 'zip', url: 'https://files.example/a.zip' };
const image = { asset_type: 'image', url: 'https://files.example/a.png', width: 300, height: 250 };
const lacking = { asset_type: 'image', url: 'https://files.example/a.png' };

describe('the assets of a creative that is sent', () => {
  it('are without those of a kind that the form of the seller lacks', () => {
    expect(sentAssets({ file: zip, banner: image }, '3.1', '3.0')).toEqual({ banner: image });
    expect(sentAssets({ file: zip, banner: image }, 'service', '3.0')).toEqual({ banner: image });
    expect(sentAssets({ cards: [image, image] }, '3.1', '2.5')).toEqual({});
  });

  it('are unchanged if their own form does not accept them either', () => {
    expect(sentAssets({ banner: lacking }, '3.1', '3.0')).toEqual({ banner: lacking });
    expect(sentAssets({ banner: lacking }, 'service', '3.1')).toEqual({ banner: lacking });
  });

  it('have their kind in 3.x even if it is absent in older forms', () => {
    const { asset_type: _kind, ...bare } = image;
    expect(sentAssets({ banner: bare }, '2.5', '3.0')).toEqual({ banner: image });
  });
});
