import { isCurrency } from '@switchyard/money';
import { isHostName, isTimeZone } from '@switchyard/tenancy';
import { z } from 'zod';
import { organizationName } from '../../platform/routes/fields.js';
import { choice, secret, setting, text, whole, withDefault } from './setting-kinds.js';

const currencyCode = { type: 'a currency of ISO 4217 like EUR', schema: z.string().refine(isCurrency) };

/** The first organization, and where keys are held. */
export const organizationSettings = {
  SWITCHYARD_ORGANIZATION_NAME: setting(
    {
      type: 'a name of at most 200 characters, without control or direction marks',
      schema: organizationName,
    },
    {
      meaning:
        'The name of the organization that the first start creates. Needs `SWITCHYARD_ORGANIZATION_DOMAIN`. Change an existing one with `organizations set`.',
      absentText: 'Practice Agency',
    },
  ),
  SWITCHYARD_ORGANIZATION_DOMAIN: setting(
    { type: 'a host name like agency.example', schema: z.string().toLowerCase().refine(isHostName) },
    {
      meaning:
        'The domain of the organization, its identity at sellers. It must be proved before a seller beyond this machine goes live. Needs `SWITCHYARD_ORGANIZATION_NAME`.',
      absentText: 'agency.example',
    },
  ),
  SWITCHYARD_ORGANIZATION_TIME_ZONE: withDefault(
    setting(
      { type: 'a time zone like Europe/Berlin', schema: z.string().refine(isTimeZone) },
      {
        meaning:
          'The time zone of the months of its limits and of the days of their rates. The ledger uses UTC.',
      },
    ),
    'UTC',
  ),
  SWITCHYARD_ORGANIZATION_CURRENCY: withDefault(
    setting(currencyCode, { meaning: 'The currency of its new campaigns and limits.' }),
    'USD',
  ),
  SWITCHYARD_ORGANIZATION_REPORTING_CURRENCY: setting(currencyCode, {
    meaning: 'The currency of the totals in its reports.',
    absentText: '`SWITCHYARD_ORGANIZATION_CURRENCY`',
  }),
  SWITCHYARD_MCP_TEXT: withDefault(
    choice(['summary', 'json'], {
      meaning:
        '`json`: an answer over MCP has its JSON also as text, for clients that do not read `structuredContent`. Versions of MCP before 2025-06-18 always get it.',
    }),
    'summary',
  ),
  SWITCHYARD_KMS_KEY_ID: text('the id of a key of a key service', {
    meaning:
      'Instead of the local keyring: the id, ARN or alias of an enabled symmetric key of AWS KMS; `transit:MOUNT/KEY` of HashiCorp Vault or OpenBao; `projects/…/cryptoKeys/KEY` of Google Cloud KMS; `https://VAULT/keys/KEY` of Azure.',
    absentText: 'local keyring',
  }),
  SWITCHYARD_KMS_KEY_IDS: text('ids of keys, of AWS KMS their ARNs, separated by commas', {
    meaning:
      'Other keys that may be used: signing keys for `keys rotate --kms-key`, and the keys of older credentials after a change of `SWITCHYARD_KMS_KEY_ID`.',
  }),
  SWITCHYARD_KEYRING_FILE: text('the path of a file', {
    meaning: 'The file of the local keyring, if several processes share it.',
    absentText: '`keyring.json` in the data folder',
  }),
  VAULT_ADDR: text('an address that begins with https://', {
    meaning:
      'Of HashiCorp Vault or OpenBao, for keys of the form `transit:MOUNT/KEY`. It is yours and passes no guard.',
  }),
  VAULT_NAMESPACE: text('a namespace', {
    meaning: 'Where the mount is, if Vault has namespaces.',
  }),
  VAULT_TOKEN: secret('a token', /^\S+$/, { meaning: 'A static token for Vault. It is not renewed.' }),
  VAULT_ROLE_ID: text('a role id', {
    meaning: 'Signs in at Vault by AppRole, with `VAULT_SECRET_ID`.',
  }),
  VAULT_SECRET_ID: secret('a secret id', /^\S+$/, { meaning: 'The secret of that role.' }),
  VAULT_KUBERNETES_ROLE: text('a role', {
    meaning: 'Signs in at Vault by the service account of the pod.',
  }),
  GOOGLE_APPLICATION_CREDENTIALS: text('the path of a file', {
    meaning: 'A service account for Google Cloud KMS. Absent: the metadata server of the machine.',
  }),
  AZURE_TENANT_ID: text('a tenant', {
    meaning: 'Of the client that signs in for Azure Key Vault.',
  }),
  AZURE_CLIENT_ID: text('a client id', {
    meaning: 'That client. Without a secret and a token file: which identity of the machine.',
  }),
  AZURE_CLIENT_SECRET: secret('a secret', /^\S+$/, { meaning: 'The secret of that client.' }),
  AZURE_FEDERATED_TOKEN_FILE: text('the path of a file', {
    meaning: 'The token of the pod, instead of a secret (workload identity).',
  }),
  AZURE_AUTHORITY_HOST: text('an address', {
    meaning: 'Where clients of Azure sign in.',
    absentText: '`https://login.microsoftonline.com`',
  }),
  SWITCHYARD_KEY_WAIT_SECONDS: withDefault(
    whole({
      min: 0,
      max: 9_999_999,
      unit: 'seconds',
      meaning:
        'How long a new key is published before it signs. With a shorter time, others may not be able to verify its signatures yet.',
    }),
    '1800',
  ),
} as const;
