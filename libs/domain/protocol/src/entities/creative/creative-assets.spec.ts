import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { fittedAssets } from './creative-assets.js';

const image = { url: 'https://cdn.example/1.png', width: 300, height: 250 };
const at = 'https://cdn.example/file';

describe('assets of another form', () => {
  it('have in 3.x the type of their shape', () => {
    const vast = { delivery_type: 'inline', content: '<VAST version="4.0"/>' };
    const assets: JsonObject = {
      picture: image,
      moving: { ...image, url: `${at}.mp4` },
      sound: { url: `${at}.mp3?x=1` },
      tag: vast,
      spoken: { delivery_type: 'inline', content: '<DAAST/>' },
      words: { content: 'Buy.' },
      markup: { content: ' <b>Buy.</b>' },
      click: { url: at },
      asked: { url: at, response_type: 'html', security: { method: 'none' } },
    };
    const types = Object.fromEntries(
      Object.entries(fittedAssets(assets, '2.5', '3.0')).map(([role, asset]) => [
        role,
        (asset as JsonObject)['asset_type'],
      ]),
    );
    expect(types).toEqual({
      picture: 'image',
      moving: 'video',
      sound: 'audio',
      tag: 'vast',
      spoken: 'daast',
      words: 'text',
      markup: 'html',
      click: 'url',
      asked: 'webhook',
    });
  });

  it('are recognized by shape in 2.5, and keep their type if they name one', () => {
    const assets = { bare: image, named: { asset_type: 'image', ...image } };
    expect(fittedAssets(assets, 'service', '2.5')).toEqual(assets);
  });

  it('are left out if the form does not have their kind', () => {
    const assets = {
      zip: { asset_type: 'zip', url: at },
      post: { asset_type: 'published_post', post_url: at },
      strange: { asset_type: 'hologram', url: at },
      image: { asset_type: 'image', ...image },
    };
    expect(Object.keys(fittedAssets(assets, '3.1', '3.0'))).toEqual(['image']);
    expect(Object.keys(fittedAssets(assets, '3.1', '2.5'))).toEqual(['image']);
    expect(Object.keys(fittedAssets(assets, '3.0', '3.1'))).toEqual(['zip', 'post', 'image']);
    const offered = { offer: { brand_manifest: { name: 'B' } } };
    expect(fittedAssets(offered, '2.5', '3.1')).toEqual({});
    expect(fittedAssets(offered, 'service', '2.5')).toEqual(offered);
  });

  it('are left out if they lack a required member of their kind, and sent unchanged to the same form', () => {
    const assets: JsonObject = {
      image: { asset_type: 'image', url: at, width: 300 },
      video: { asset_type: 'video', url: at, width: 0, height: 3 },
      text: { asset_type: 'text' },
      vast: { asset_type: 'vast', url: at },
      webhook: { asset_type: 'webhook', url: at },
      brief: { asset_type: 'brief' },
      card: { asset_type: 'card', media: { asset_type: 'image', url: at } },
      tracker: { asset_type: 'vast_tracker', vast_event: 'progress', url: at },
      nothing: 'x',
    };
    expect(fittedAssets(assets, 'service', '3.1')).toEqual({});
    expect(fittedAssets(assets, '3.1', '3.1')).toEqual(assets);
    expect(fittedAssets(assets, '3.1', 'service')).toEqual(assets);
  });

  it('have macros in an address only if the form allows them', () => {
    const macro = 'https://t.example/?n={CACHEBUSTER}';
    const click = { click: { asset_type: 'url', url: macro } };
    const vast = { vast: { asset_type: 'vast', delivery_type: 'url', url: macro } };
    expect(fittedAssets(click, '3.1', '3.0')).toEqual(click);
    expect(fittedAssets(click, '3.1', '2.5')).toEqual({});
    expect(fittedAssets(vast, '3.0', '3.1')).toEqual(vast);
    expect(fittedAssets(vast, '3.1', '3.0')).toEqual({});
  });

  it('have only values that the release has', () => {
    const vast = { asset_type: 'vast', delivery_type: 'inline', content: '<VAST/>' };
    const assets = {
      vast: { ...vast, tracking_events: ['start', 'notUsed'] },
      catalog: { asset_type: 'catalog', type: 'product', feed_format: 'shopify' },
    };
    expect(fittedAssets(assets, '3.0', '3.1')).toEqual({
      ...assets,
      vast: { ...vast, tracking_events: ['start'] },
    });
    const newer = {
      few: {
        asset_type: 'catalog',
        type: 'product',
        feed_format: 'tiktok_shop',
        conversion_events: ['purchase', 'follow'],
      },
      none: { asset_type: 'catalog', type: 'product', conversion_events: ['follow'] },
    };
    expect(fittedAssets(newer, '3.1', '3.0')).toEqual({
      few: { asset_type: 'catalog', type: 'product', conversion_events: ['purchase'] },
      none: { asset_type: 'catalog', type: 'product' },
    });
  });

  it('are listed under one role only in 3.1', () => {
    const text = { asset_type: 'text', content: 'One' };
    expect(fittedAssets({ main: [text, text] }, '3.0', '3.1')).toEqual({ main: [text, text] });
    expect(fittedAssets({ main: [text] }, '3.1', '3.0')).toEqual({ main: text });
    expect(fittedAssets({ main: [text, text] }, '3.1', '3.0')).toEqual({});
    expect(fittedAssets({ main: [text, { asset_type: 'image' }], none: [] }, '3.0', '3.1')).toEqual({});
  });
});
