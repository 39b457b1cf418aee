import { describe, expect, it } from '@jest/globals';
import { shownAddress } from './buyer-registration.js';

describe('the displayed address of a receiver', () => {
  it.each([
    ['https://b.example', 'https://b.example'],
    ['https://b.example/hooks/orders-2026', 'https://b.example/hooks/orders-2026'],
    ['https://b.example/hooks/op-of-the-url?key=secret#x', 'https://b.example/hooks/op-of-the-url'],
    ['https://me:secret@b.example:8443/hooks/', 'https://b.example:8443/hooks/'],
    [
      'https://b.example/a-long-name-of-a-campaign-in-autumn',
      'https://b.example/a-long-name-of-a-campaign-in-autumn',
    ],
  ])('keeps what tells it from others: %s', (url, shown) => {
    expect(shownAddress(url)).toBe(shown);
  });

  it.each([
    ['a UUID', '6f1d3c1e-8f0a-4f0e-9a3d-2b6f5a1c9e77'],
    ['a UUID in a name', 'hook_6F1D3C1E-8F0A-4F0E-9A3D-2B6F5A1C9E77'],
    ['a JWT', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'],
    ['hexadecimal', '9f86d081884c7d659a2feaa0c55ad015'],
    ['base64url', 'sk_live_51Hq3fK2eZvKYlo2C8xA1'],
  ])('redacts a segment that may be a secret: %s', (_what, secret) => {
    expect(shownAddress(`https://b.example/hooks/${secret}/in?x`)).toBe(
      'https://b.example/hooks/[redacted]/in',
    );
  });
});
