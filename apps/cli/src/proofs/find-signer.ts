import { keyThumbprint } from '@switchyard/signing';
import type { Egress } from '@switchyard/sellers';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import type { CliFailure } from '../outcome.js';
import { readJsonFile } from '../read-input.js';
import { fetchKeySet, fetchKeysOf, keysIn } from './published-keys.js';
import type { SignerOptions } from './signer-options.js';
import { storedSigners, type StoredSigners } from './stored-signers.js';
import type { Signer } from './verdict.js';

/**
 * Finds out whose the keys of documents are. Reads the network only for `--fetch` and for an address in `--jwks`.
 * `organization`: the domain that the document names; without one the key set must say whose the key is.
 */
export type FindSigner = (key: JsonObject, organization: string | undefined) => Promise<Signer>;

/** What is known of signers. */
export interface KnownSigners {
  readonly options: SignerOptions;
  readonly jwks: readonly JsonObject[] | undefined;
  readonly stored: StoredSigners;
  readonly fetched: (domain: string) => Promise<Result<readonly JsonObject[], string>>;
}

/** Runs `work` with what the options say about signers. */
export async function withSigners<T>(
  deps: CliDeps,
  options: SignerOptions,
  work: (find: FindSigner) => Promise<Result<T, CliFailure>>,
): Promise<Result<T, CliFailure>> {
  let open: Egress | undefined;
  const egress = async (allowLoopback: boolean): Promise<Egress> => {
    const { openEgress } = await import('./open-egress.js');
    return (open ??= openEgress(allowLoopback));
  };
  try {
    const jwks = await keySetIn(deps, options.jwks, () => egress(true));
    if (!jwks.ok) return jwks;
    const fetched = new Map<string, Promise<Result<readonly JsonObject[], string>>>();
    const known: KnownSigners = {
      options,
      jwks: jwks.value,
      stored: storedSigners(deps, options.data, new Date().toISOString()),
      fetched: (domain) => {
        const reading = fetched.get(domain) ?? egress(false).then((guarded) => fetchKeysOf(guarded, domain));
        fetched.set(domain, reading);
        return reading;
      },
    };
    return await work((key, organization) => findSigner(known, key, organization));
  } finally {
    await open?.close();
  }
}

async function keySetIn(
  deps: CliDeps,
  source: string | undefined,
  egress: () => Promise<Egress>,
): Promise<Result<readonly JsonObject[] | undefined, CliFailure>> {
  if (source === undefined) return ok(undefined);
  if (/^https?:/.test(source)) {
    const read = await fetchKeySet(await egress(), source);
    return read.ok ? read : err({ message: read.error });
  }
  const read = await readJsonFile(deps, source);
  if (!read.ok) return read;
  const keys = keysIn(read.value.value);
  return keys === undefined ? err({ message: `${source} is no key set: it has no list of keys.` }) : ok(keys);
}

/** Finds out whose a key is: by the fingerprint, the key set, what the domain publishes, or what is stored, in this order. */
export async function findSigner(
  known: KnownSigners,
  key: JsonObject,
  organization: string | undefined,
): Promise<Signer> {
  const { options, jwks, stored } = known;
  const fingerprint = keyThumbprint(key);
  const signer = {
    ...(organization !== undefined && { organization }),
    kid: typeof key['kid'] === 'string' ? key['kid'] : '',
    fingerprint,
  };
  const unknown = (says: string): Signer => ({ ...signer, says });
  if (options.fingerprint !== undefined)
    return options.fingerprint === fingerprint
      ? { ...signer, found: 'fingerprint' }
      : unknown(`Its key has another fingerprint: ${fingerprint}.`);
  if (jwks !== undefined) {
    const owner = ownerIn(jwks, fingerprint, organization);
    return owner.ok ? { ...signer, ...owner.value, found: 'key set' } : unknown(owner.error);
  }
  if (organization === undefined)
    return unknown('It does not say whose it is: give the key set of its organization with --jwks.');
  const before = stored.of(organization);
  if (options.fetch === true) {
    const keys = await known.fetched(organization);
    if (!keys.ok) return unknown(keys.error);
    const owner = ownerIn(keys.value, fingerprint, organization);
    if (!owner.ok) return unknown(owner.error);
    const isChanged = Object.keys(before).length > 0 && !Object.hasOwn(before, fingerprint);
    const saved = stored.add(organization, fingerprint);
    const says = [
      ...(isChanged ? [`${organization} signs with another key than the one that is stored here.`] : []),
      ...(saved.ok ? [] : [`The fingerprint was not stored: ${saved.error.message}`]),
    ];
    return { ...signer, found: 'published', ...(says.length > 0 && { says: says.join(' ') }) };
  }
  if (Object.hasOwn(before, fingerprint)) return { ...signer, found: 'stored' };
  return unknown(
    Object.keys(before).length > 0
      ? `This is another key than the one that is stored for ${organization}: it was changed, or somebody else signed. Read what the domain publishes now: --fetch.`
      : `Anybody can make a key and name ${organization}. Read the keys that the domain publishes with --fetch, or give --jwks FILE or --fingerprint.`,
  );
}

/** Whether a key set has the key, as one for proofs of this organization. The error is a sentence. */
function ownerIn(
  keys: readonly JsonObject[],
  fingerprint: string,
  organization: string | undefined,
): Result<Pick<Signer, 'organization'>, string> {
  const published = keys.find((key) => keyThumbprint(key) === fingerprint);
  if (published === undefined) return err('Its key is not in the key set.');
  const { switchyard: owner } = published;
  // A key set of another product, or one that a person wrote: whoever gave it vouches for it.
  if (owner === undefined) return ok({});
  const { organization: named, signs } = isJsonObject(owner) ? owner : {};
  if (!Array.isArray(signs) || !signs.includes('proofs'))
    return err('Its key is not one for statements and heads.');
  if (typeof named !== 'string')
    return err('The key set does not say whose the key is: the organization has not proved its domain.');
  if (organization !== undefined && named !== organization)
    return err(`Its key belongs to ${named}, and not to ${organization}.`);
  return ok({ organization: named });
}
