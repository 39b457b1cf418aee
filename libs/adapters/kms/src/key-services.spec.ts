import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  keyManagementContract,
  startAzureKeysDouble,
  startGoogleKmsDouble,
  startTransitDouble,
  type KeyServiceDouble,
} from '@switchyard/testing';
import { must, type Result } from '@switchyard/values';
import type { KmsFailure } from '@switchyard/vault';
import { openAzure } from './azure-keys.js';
import { crc32c } from './crc32c.js';
import { openGoogle } from './google-kms.js';
import type { ServiceKeys } from './service-keys.js';
import { openTransit } from './vault-transit.js';

/** Key services over the wire: each double speaks the protocol of its service. */
const context = { organization: 'o', credential: 'c' };

type Opened = Promise<Result<ServiceKeys, KmsFailure>>;
const appRole = (double: KeyServiceDouble) => ({
  VAULT_ADDR: double.url,
  VAULT_ROLE_ID: 'a-role',
  VAULT_SECRET_ID: 'its-secret',
});
const azureClient = (double: KeyServiceDouble) => ({
  AZURE_TENANT_ID: 'a-tenant',
  AZURE_CLIENT_ID: 'a-client',
  AZURE_CLIENT_SECRET: 'its-secret',
  AZURE_AUTHORITY_HOST: double.url,
});
const google = (double: KeyServiceDouble) => ({ kms: double.url, metadata: double.url });

const services: readonly (readonly [
  name: string,
  start: () => Promise<KeyServiceDouble>,
  open: (double: KeyServiceDouble, keyId?: string) => Opened,
])[] = [
  [
    'HashiCorp Vault with a token',
    () => startTransitDouble(),
    (double, keyId = double.keyId) => openTransit(keyId, { VAULT_ADDR: double.url, VAULT_TOKEN: 'root' }),
  ],
  [
    'HashiCorp Vault by AppRole',
    () => startTransitDouble(),
    (double, keyId = double.keyId) => openTransit(keyId, appRole(double)),
  ],
  [
    'Google Cloud KMS',
    startGoogleKmsDouble,
    (double, keyId = double.keyId) => openGoogle(keyId, {}, [], google(double)),
  ],
  [
    'Azure Key Vault by a client',
    startAzureKeysDouble,
    (double, keyId = double.keyId) => openAzure(keyId, azureClient(double)),
  ],
  [
    'Azure Key Vault by the identity of the machine',
    startAzureKeysDouble,
    (double, keyId = double.keyId) => openAzure(keyId, {}, [], double.url),
  ],
];

describe.each(services)('%s', (_name, start, open) => {
  let double: KeyServiceDouble;
  let keys: ServiceKeys;
  beforeAll(async () => {
    double = await start();
    keys = must(await open(double));
  });
  afterAll(() => double.close());

  it.each(keyManagementContract)('$guarantee', async ({ check }) => {
    await expect(check(keys)).resolves.toBeUndefined();
  });

  it('uses no key that the settings do not name', async () => {
    const key = must(await keys.generateDataKey(context));
    expect(await keys.unwrap({ ...key, keyId: `${key.keyId}9`, context })).toMatchObject({
      error: { code: 'unknown_key' },
    });
    expect(keys.at(`${key.keyId}9`)).toBeUndefined();
  });

  it('is unavailable once it answers no more', async () => {
    const other = await start();
    const alone = must(await open(other));
    await other.close();
    expect(await alone.generateDataKey(context)).toMatchObject({ error: { code: 'unavailable' } });
  });
});

describe('a key of the transit engine', () => {
  it('that is not derived is refused, because it would not bind the context', async () => {
    const double = await startTransitDouble({ derived: false });
    expect(await openTransit(double.keyId, appRole(double))).toMatchObject({
      error: { code: 'unavailable', message: expect.stringContaining('derived=true') },
    });
    await double.close();
  });

  it('is used on with a new token after the one before was revoked', async () => {
    const double = await startTransitDouble();
    const keys = must(await openTransit(double.keyId, appRole(double)));
    const key = must(await keys.generateDataKey(context));
    double.revokeTokens();
    expect(must(await keys.unwrap({ ...key, context })).use((bytes) => bytes.length)).toBe(32);
    expect(double.calls.filter((path) => path.endsWith('/login'))).toHaveLength(2);
    await double.close();
  });

  it('is never asked for over plain http at another machine, or with a wrong secret', async () => {
    const refused = await openTransit('transit:transit/k', {
      VAULT_ADDR: 'http://vault.example:8200',
      VAULT_TOKEN: 'root',
    });
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('https') } });
    const double = await startTransitDouble();
    const wrong = { ...appRole(double), VAULT_SECRET_ID: 'another' };
    expect(await openTransit(double.keyId, wrong)).toMatchObject({ error: { code: 'denied' } });
    await double.close();
  });
});

describe('an answer of a key service', () => {
  it.each([
    ['Google', startGoogleKmsDouble, { name: 'projects/x' }, 'wrong_key'],
    ['Google', startGoogleKmsDouble, { ciphertextCrc32c: '1' }, 'unavailable'],
    ['Google', startGoogleKmsDouble, { verifiedPlaintextCrc32c: false }, 'unavailable'],
    ['Azure', startAzureKeysDouble, { kid: 'https://another.example/keys/k/1' }, 'wrong_key'],
  ] as const)('of %s is refused that says %o', async (name, start, lie, code) => {
    const double = await start();
    const keys = must(
      await (name === 'Google'
        ? openGoogle(double.keyId, {}, [], google(double))
        : openAzure(double.keyId, azureClient(double))),
    );
    double.lie = (body) => ({ ...body, ...lie });
    expect(await keys.generateDataKey(context)).toMatchObject({ error: { code } });
    await double.close();
  });

  it('names the version of a key that the settings name without one', async () => {
    const [vault, azure] = [await startGoogleKmsDouble(), await startAzureKeysDouble()];
    const [named] = vault.keyId.split('/cryptoKeyVersions/');
    const ofGoogle = must(await openGoogle(named ?? '', {}, [], google(vault)));
    expect(ofGoogle.currentKeyId()).toBe(vault.keyId);
    const ofAzure = must(await openAzure(azure.keyId.replace(/\/\w+$/, ''), azureClient(azure)));
    expect(ofAzure.currentKeyId()).toBe(azure.keyId);
    await vault.close();
    await azure.close();
  });
});

describe('the checksum of Google', () => {
  it('is CRC-32C, as RFC 3720 has it for 32 zeroes and 32 ones', () => {
    expect([crc32c(new Uint8Array(32)), crc32c(new Uint8Array(32).fill(0xff))]).toEqual([
      0x8a9136aa, 0x62a8ab43,
    ]);
  });
});
