import { defined, type JsonObject, type JsonValue, isJsonObject, storedDomain } from '@switchyard/values';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { Finding } from '../../losses/finding.js';
import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';
import { lostPaths } from '../../losses/lost-members.js';
import { objectAt, textAt, without } from '../../message/pick.js';

export interface Brand {
  /** The advertiser's domain; absent only when a `service` buyer sent `brand_id` alone. */
  readonly domain?: string;
  readonly brandId?: string;
  /** Inline manifest or its URL, as the buyer sent it. */
  readonly manifest?: JsonObject | string;
}

const domainName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/**
 * Reads the advertiser from `brand` (3.x and the newer `service` form) or from `brand_manifest` (an address, an object
 * with an address, or an inline manifest). Without a domain, the host of the manifest's address is used.
 */
export function readBrand(args: JsonObject): Brand | undefined {
  const brand = objectAt(args, 'brand');
  const manifest = args['brand_manifest'];
  const domain = domainText(textAt(brand, 'domain')) ?? domainOfUrl(manifestUrl(manifest));
  const read = defined({
    domain,
    brandId: textAt(brand, 'brand_id'),
    manifest: typeof manifest === 'string' || isJsonObject(manifest) ? manifest : undefined,
  });
  return Object.keys(read).length === 0 ? undefined : read;
}

export const unusableDomain = taskError('VALIDATION_ERROR', 'The brand has no usable domain.', {
  field: 'brand.domain',
  suggestion: 'Name the advertiser by its domain, for example acme.example.',
});

/** An error if the brand is named by a text that is no domain. */
export function domainFaults(args: JsonObject): readonly TaskError[] {
  const domain = textAt(objectAt(args, 'brand'), 'domain');
  return domain === undefined || domainText(domain) !== undefined ? [] : [unusableDomain];
}

export function projectBrand(
  brand: Brand,
  to: Form,
): { readonly members: JsonObject; readonly findings: readonly Finding[] } {
  if (is3x(to)) {
    const { domain } = brand;
    if (domain !== undefined)
      return { members: { brand: defined({ domain, brand_id: brand.brandId }) }, findings: [] };
    const message = 'The brand has no domain, which this seller needs.';
    return { members: {}, findings: [{ code: 'BRAND_DOMAIN_UNKNOWN', message, field: 'brand.domain' }] };
  }
  if (brand.manifest !== undefined) {
    return { members: { brand_manifest: manifestFor(structuredClone(brand.manifest), to) }, findings: [] };
  }
  if (brand.domain !== undefined) {
    const url = `https://${brand.domain}`;
    const manifest = to === 'service' ? { url } : { url, name: brand.domain };
    return { members: { brand_manifest: manifest }, findings: [] };
  }
  if (to === 'service') return { members: { brand: defined({ brand_id: brand.brandId }) }, findings: [] };
  const message = 'The brand has no manifest, which this seller needs.';
  return { members: {}, findings: [{ code: 'BRAND_MANIFEST_UNKNOWN', message, field: 'brand_manifest' }] };
}

/**
 * Paths of what the request gives about its brand and the written request does not have. A manifest's address and a
 * brand's domain are the same fact; every other member exists in one form only.
 */
export function lostOfBrand(reported: JsonObject, written: JsonObject): readonly string[] {
  const { brand, brand_manifest: manifest } = reported;
  const lost: string[] = [];
  const { brand: toBrand, brand_manifest: toManifest } = written;
  if (isJsonObject(manifest) && !isJsonObject(toManifest))
    lost.push(
      ...lostPaths({ brand_manifest: manifest }, { brand_manifest: {} }, { local: ['brand_manifest.url'] }),
    );
  const url = manifestUrl(manifest);
  // A domain has only the host of an address.
  if (toManifest === undefined && url !== undefined && isMoreThanHost(url))
    lost.push(typeof manifest === 'string' ? 'brand_manifest' : 'brand_manifest.url');
  if (isJsonObject(manifest) && isJsonObject(toManifest))
    lost.push(...lostPaths({ brand_manifest: manifest }, { brand_manifest: toManifest }, {}));
  if (isJsonObject(brand)) {
    const shown = isJsonObject(toBrand) ? toBrand : {};
    lost.push(...lostPaths({ brand }, { brand: shown }, { local: ['brand.domain'] }));
  }
  return lost;
}

function isMoreThanHost(url: string): boolean {
  return !/^([a-z]+:\/\/)?[^/?#]*\/?$/i.test(url);
}

/** The manifest for a form. `service` needs an object. 2.5 needs a manifest with a name, or the bare address. */
function manifestFor(manifest: JsonObject | string, to: Form): JsonValue {
  if (to === 'service') return typeof manifest === 'string' ? { url: manifest } : manifest;
  if (typeof manifest === 'string' || textAt(manifest, 'name') !== undefined) return manifest;
  return textAt(manifest, 'url') ?? manifest;
}

/** The host of an address in lower case, where it is a valid domain. */
export function domainOfUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  try {
    return domainText(new URL(url).hostname);
  } catch {
    return domainText(url);
  }
}

function domainText(text: string | undefined): string | undefined {
  const stored = text === undefined || text.length > 253 ? '' : storedDomain(text);
  return stored.length <= 253 && domainName.test(stored) ? stored : undefined;
}

function manifestUrl(manifest: JsonValue | undefined): string | undefined {
  if (typeof manifest === 'string') return manifest;
  return isJsonObject(manifest) ? textAt(manifest, 'url') : undefined;
}

/** Members that hold a brand and have only the members that their release allows. */
const brands: ReadonlySet<string> = new Set(['vendor', 'brand']);
/** Members that are a peer's own and pass as they are. */
const opaque: ReadonlySet<string> = new Set(['ext', 'context']);

/** The value without the members that a brand of 3.0 does not have, in every brand at any depth. */
export const withPlainBrands = <Value extends JsonValue>(value: Value): Value =>
  withBrands(value, (brand) => without(brand, ['brand_kit_override'])) as Value;

/** A request as it is sent to a seller: 3.x has the domains of brands in small letters, at any depth. */
export function sentToSeller(args: JsonObject, to: Form): JsonObject {
  if (!is3x(to)) return args;
  return withBrands(args, (brand) => {
    const domain = domainText(textAt(brand, 'domain'));
    return domain === undefined ? brand : { ...brand, domain };
  }) as JsonObject;
}

function withBrands(value: JsonValue, change: (brand: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withBrands(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (opaque.has(name)) return [name, inner];
      return [name, withBrands(brands.has(name) && isJsonObject(inner) ? change(inner) : inner, change)];
    }),
  );
}
