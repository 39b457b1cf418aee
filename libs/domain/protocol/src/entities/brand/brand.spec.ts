import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { projectBrand, readBrand } from './brand.js';

const written = (args: JsonObject, to: Form): unknown => {
  const brand = readBrand(args);
  return brand === undefined ? undefined : projectBrand(brand, to);
};
const plain = (members: JsonObject) => ({ members, findings: [] });
const inline = { name: 'Acme', colors: { primary: '#f00' } };

describe('the advertiser', () => {
  it('is the same in the manifest of the older forms and in the brand of the later ones', () => {
    for (const args of [
      { brand_manifest: { url: 'https://Acme.example/brand.json' } },
      { brand_manifest: 'https://acme.example' },
      { brand: { domain: 'ACME.example' } },
    ])
      for (const to of ['3.0', '3.1'] as const)
        expect([args, written(args, to)]).toEqual([args, plain({ brand: { domain: 'acme.example' } })]);
    const named = { brand: { domain: 'acme.example', brand_id: 'shoes' } };
    expect(written(named, '3.1')).toEqual(plain(named));
    expect(written(named, 'service')).toEqual(plain({ brand_manifest: { url: 'https://acme.example' } }));
    expect(written(named, '2.5')).toEqual(
      plain({ brand_manifest: { url: 'https://acme.example', name: 'acme.example' } }),
    );
  });

  it('is identified by the xn-- form of a domain with letters beyond ASCII, as in its manifest', () => {
    for (const args of [
      { brand: { domain: 'Bücher.example' } },
      { brand_manifest: 'Bücher.example' },
      { brand_manifest: 'https://Bücher.example/brand.json' },
    ])
      expect([args, readBrand(args)?.domain]).toEqual([args, 'xn--bcher-kva.example']);
  });

  it('keeps an inline manifest unchanged if the form has a member for it', () => {
    for (const to of ['service', '2.5'] as const)
      expect(written({ brand_manifest: inline }, to)).toEqual(plain({ brand_manifest: inline }));
  });

  it('is identified by the bare address of its manifest in 2.5, which requires a name in any other, and by an object in the service form', () => {
    const address = 'https://acme.example/brand.json';
    for (const brand_manifest of [address, { url: address }]) {
      expect(written({ brand_manifest }, '2.5')).toEqual(plain({ brand_manifest: address }));
      expect(written({ brand_manifest }, 'service')).toEqual(plain({ brand_manifest: { url: address } }));
    }
  });

  it('is sent to the service form by its id if only that was given', () => {
    const args = { brand: { brand_id: 'shoes' } };
    expect(written(args, 'service')).toEqual(plain(args));
  });

  it('without a member that a form requires is reported, with the name of the member', () => {
    for (const args of [{ brand: { brand_id: 'shoes' } }, { brand_manifest: inline }])
      for (const to of ['3.0', '3.1'] as const)
        expect(written(args, to)).toMatchObject({
          findings: [{ code: 'BRAND_DOMAIN_UNKNOWN', field: 'brand.domain' }],
        });
    expect(written({ brand: { brand_id: 'shoes' } }, '2.5')).toMatchObject({
      members: {},
      findings: [{ code: 'BRAND_MANIFEST_UNKNOWN', field: 'brand_manifest' }],
    });
  });

  it('is unknown if nothing names one, or the name is no domain', () => {
    expect(readBrand({})).toBeUndefined();
    for (const domain of ['', '-acme', 'acme..example', 'a b', 'bü cher', 'a'.repeat(254)])
      expect([domain, readBrand({ brand: { domain } })]).toEqual([domain, undefined]);
  });
});
