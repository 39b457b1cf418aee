import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';
import { isCurrency } from '@switchyard/money';
import { isHostName, isTimeZone } from '@switchyard/tenancy';
import { z } from 'zod';
import { organizationName } from '../../platform/routes/fields.js';
import { isLoopback } from '../../platform/http/loopback.js';
import {
  choice,
  decimal,
  isNetwork,
  isOrigin,
  list,
  rate,
  secret,
  setting,
  text,
  whole,
  withDefault,
  type Setting,
} from './setting-kinds.js';

const database = /^postgres(ql)?:\/\/[^/]*\/[^/?]+/;
const databaseType = 'an address like postgresql://user:password@host:5432/database';
/** The address without a trailing slash. */
const publicUrl = z
  .string()
  .transform((item) => item.replace(/\/+$/, ''))
  .refine((item) => /^https?:/.test(item) && URL.canParse(item) && new URL(item).pathname === '/');
/** It is compared exactly with `iss`, so nothing is removed. */
const oidcIssuer = z.string().refine((item) => {
  const url = URL.parse(item);
  if (url?.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
});
const host = z.string().refine((item) => isIP(item) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(item));
const currencyCode = { type: 'a currency of ISO 4217 like EUR', schema: z.string().refine(isCurrency) };
const collector = z
  .string()
  .refine((item) => /^https?:/.test(item) && URL.canParse(item) && new URL(item).search === '');
/** Names and values as the specification of OpenTelemetry writes them; a value may be percent-encoded. */
const otlpPairs = /^[^\s=,]+=[^,\r\n]*(,\s*[^\s=,]+=[^,\r\n]*)*$/;
const keyids = { min: 0.0001, max: 999_999 };

/**
 * Every environment variable that the product reads. A new setting is a new row here: it is then checked at the start,
 * shown by `switchyard settings`, and read as a member of `Settings` under the same name.
 */
export const settingsTable = {
  DATABASE_URL: secret(databaseType, database, {
    meaning: 'A PostgreSQL 15 or newer instead of the embedded one. The database must exist.',
    absentText: 'embedded',
  }),
  DATABASE_OWNER_URL: secret(databaseType, database, {
    meaning: 'The role that runs the migrations, if the role of `DATABASE_URL` may not change the schema.',
  }),
  DATABASE_BACKUP_URL: secret(databaseType, database, {
    meaning:
      'For `switchyard backup` and `restore`: a role that sees every row, a superuser or one with `bypassrls`.',
    absentText: '`DATABASE_OWNER_URL`, else `DATABASE_URL`',
  }),
  SWITCHYARD_READ_URL: secret(databaseType, database, {
    meaning:
      'A streaming replica, from which `switchyard reports export` reads. It waits until the replica has what the primary had.',
    absentText: '`DATABASE_URL`',
  }),
  SWITCHYARD_BUCKET_ENDPOINT: setting(
    { type: 'an address that begins with https:// or http://', schema: collector },
    {
      meaning:
        'The service that `switchyard reports export --to s3://BUCKET` writes to, addressed by paths. Plain HTTP only on this machine.',
      absentText: 'https://s3.REGION.amazonaws.com',
    },
  ),
  SWITCHYARD_BUCKET_REGION: withDefault(
    setting(
      { type: 'the name of a region', schema: z.string().regex(/^[a-z0-9-]{1,40}$/) },
      { meaning: 'Its region.' },
    ),
    'us-east-1',
  ),
  SWITCHYARD_BUCKET_KEY_ID: text('the id of an access key', {
    meaning: 'The access key for the bucket.',
  }),
  SWITCHYARD_BUCKET_SECRET: secret('a secret key', /^\S+$/, {
    meaning: 'Its secret.',
    absentText: 'none',
  }),
  SWITCHYARD_BUCKET_SECRET_FILE: text('the path of a file', {
    meaning: 'A file with that secret, instead of `SWITCHYARD_BUCKET_SECRET`.',
  }),
  DATABASE_PASSWORD_FILE: text('the path of a file', {
    meaning:
      'A file with the password of `DATABASE_URL`, instead of a password in the URL. A line break at the end is ignored.',
  }),
  DATABASE_OWNER_PASSWORD_FILE: text('the path of a file', {
    meaning: 'The same for `DATABASE_OWNER_URL`.',
  }),
  SWITCHYARD_DATABASE_CONNECTIONS: withDefault(
    whole({ min: 4, max: 1_000, meaning: 'Maximum connections to PostgreSQL, per process.' }),
    '12',
  ),
  SWITCHYARD_PREPARED_STATEMENTS: choice(['on', 'off'], {
    meaning:
      'Use `on` with a pooler that supports prepared statements (PgBouncer 1.21, `max_prepared_statements`).',
    absentText: 'off if `DATABASE_URL` leads to a pooler, otherwise on',
  }),
  REDIS_URL: secret('an address that begins with redis:// or rediss://', /^rediss?:\/\/\S+$/, {
    meaning: 'Stores jobs in Redis instead of PostgreSQL.',
  }),
  SWITCHYARD_PROFILE: choice(['local', 'production'], {
    meaning:
      '`local` is for trials on one machine; it cannot be used with a public address, a trusted proxy or a host beyond loopback. `production` runs without the sandbox market.',
    absentText: '`local` if none of these is set, else `production`',
  }),
  SWITCHYARD_HOST: setting(
    { type: 'a host name or an IP address', schema: host },
    {
      meaning:
        'The address on which the server listens. Beyond loopback it needs a certificate or a trusted proxy.',
      absentText: '127.0.0.1',
    },
  ),
  SWITCHYARD_PUBLIC_URL: setting(
    { type: 'an address like https://switchyard.example, without a path', schema: publicUrl },
    {
      meaning: 'The address that buyers and sellers use, and that they sign.',
      absentText: 'where the server listens',
    },
  ),
  SWITCHYARD_ORIGINS: list('origins like https://tool.example, separated by commas', isOrigin, {
    meaning:
      'Pages of these origins may call MCP, A2A, REST and the token endpoint, with a credential in a header and never with a cookie. Public documents answer every origin.',
  }),
  SWITCHYARD_CONNECTORS: list('packages or files, separated by commas', (item) => item !== '', {
    meaning:
      'Connectors to sellers and accounting systems outside of the product: packages, or paths of files from the current folder. They run with all rights of the process.',
  }),
  SWITCHYARD_TLS_CERT_FILE: text('the path of a PEM file', {
    meaning: 'The certificate of the server. Needs `SWITCHYARD_TLS_KEY_FILE`.',
  }),
  SWITCHYARD_TLS_KEY_FILE: text('the path of a PEM file', {
    meaning: 'The private key of the certificate. Needs `SWITCHYARD_TLS_CERT_FILE`.',
  }),
  SWITCHYARD_TRUSTED_PROXIES: list('IP addresses or networks, separated by commas', isNetwork, {
    meaning: 'The proxies that end TLS.',
  }),
  SWITCHYARD_TLS_CLIENT_CA_FILE: text('the path of a PEM file', {
    meaning:
      'The certificate authorities whose client certificates are accepted. Needs `SWITCHYARD_TLS_CERT_FILE`.',
  }),
  SWITCHYARD_APPROVAL_HOURS: withDefault(
    whole({
      min: 1,
      max: 8_760,
      unit: 'hours',
      meaning: 'How long a request waits for an internal approval before it expires.',
    }),
    '72',
  ),
  SWITCHYARD_CREATIVE_FOLDER: text('the path of a folder, or s3://BUCKET/PREFIX', {
    meaning:
      'Where uploaded files of creatives are stored. All processes share it; back it up beside the database. A bucket needs the settings `SWITCHYARD_BUCKET_*`.',
    absentText: '`creative-files` in the data folder',
  }),
  SWITCHYARD_CREATIVE_FILE_MB: withDefault(
    whole({ min: 1, max: 50, unit: 'MB', meaning: 'Maximum size of an uploaded file of a creative.' }),
    '20',
  ),
  SWITCHYARD_CREATIVE_FILES: withDefault(
    whole({ min: 1, max: 10_000, meaning: 'Maximum uploaded files of creatives, per organization.' }),
    '1000',
  ),
  SWITCHYARD_FINANCE_FILE_MB: withDefault(
    whole({
      min: 1,
      max: 2_000,
      unit: 'MB',
      meaning: 'Maximum size of a file with an invoice or figures; an XLSX workbook is limited to 40 MB.',
    }),
    '256',
  ),
  SWITCHYARD_FINANCE_FILE_ROWS: withDefault(
    whole({
      min: 1_000,
      max: 5_000_000,
      meaning: 'Maximum rows of a file with an invoice or figures.',
    }),
    '1000000',
  ),
  SWITCHYARD_CLIENT_CERT_PROXIES: list(
    'names that begin with dns:, uri:, email: or subject:, separated by commas',
    (item) => item !== '',
    { meaning: 'The proxies that may send the header `Client-Cert`.' },
  ),
  SWITCHYARD_JWT_ISSUERS_FILE: text('the path of a JSON file', {
    meaning:
      'An array of issuers whose tokens are accepted: `issuer`, `audience`, `jwks_uri` or `jwks_file`, `algorithms`.',
  }),
  SWITCHYARD_OIDC_ISSUER: setting(
    { type: 'an address that begins with https://, or http:// on this machine', schema: oidcIssuer },
    {
      meaning:
        'The OpenID Connect provider for sign-in, exactly as in its `iss`. Needs `SWITCHYARD_OIDC_CLIENT_ID`.',
    },
  ),
  SWITCHYARD_OIDC_CLIENT_ID: text('a client id', {
    meaning:
      'The client id of this installation at the provider, with the redirect address `/sign-in/oidc/callback`.',
  }),
  SWITCHYARD_OIDC_CLIENT_SECRET: secret('the secret of that client', /^\S+$/, {
    meaning: 'The secret with which the client authenticates at the provider.',
    absentText: 'the client is public',
  }),
  SWITCHYARD_OIDC_NAME: text('a name', {
    meaning: 'What people call the provider: the button says "Sign in with" it.',
    absentText: 'the host of the issuer',
  }),
  SWITCHYARD_OIDC_DOMAINS: list('host names, separated by commas', isHostName, {
    meaning: 'Only verified e-mail addresses of these domains link a person to the provider.',
    absentText: 'every domain',
  }),
  SWITCHYARD_OIDC_TRUST_EMAIL: choice(['true', 'false'], {
    meaning:
      'Whether an e-mail address counts as verified if the provider sends no `email_verified`. Only for a provider that verifies every address itself.',
    absentText: 'false',
  }),
  SWITCHYARD_SMTP_HOST: setting(
    { type: 'a host name or an IP address', schema: host },
    {
      meaning:
        'The server that takes our mail: notices, invitations and new passwords. Needs `SWITCHYARD_MAIL_FROM`.',
      absentText: 'no mail is sent',
    },
  ),
  SWITCHYARD_SMTP_PORT: withDefault(whole({ min: 1, max: 65_535, meaning: 'Its port.' }), '587'),
  SWITCHYARD_SMTP_SECURITY: withDefault(
    choice(['starttls', 'tls', 'none'], {
      meaning:
        '`starttls`: the connection must be upgraded. `tls`: encrypted from the beginning, usually port 465. `none`: only to a server on this machine.',
    }),
    'starttls',
  ),
  SWITCHYARD_SMTP_USER: text('a user name', { meaning: 'The user of that server.', absentText: 'none' }),
  SWITCHYARD_SMTP_PASSWORD: secret('a password', /^[^\r\n]+$/, {
    meaning: 'The password of that user.',
    absentText: 'none',
  }),
  SWITCHYARD_SMTP_PASSWORD_FILE: text('the path of a file', {
    meaning: 'A file with that password, instead of `SWITCHYARD_SMTP_PASSWORD`.',
  }),
  SWITCHYARD_MAIL_FROM: setting(
    {
      type: 'an address like noreply@agency.example or Switchyard <noreply@agency.example>',
      schema: z
        .string()
        .refine((item) =>
          /^(?:[^<>,;"\r\n]{1,80} <[^\s<>,;"@]+@[^\s<>,;"@]+>|[^\s<>,;"@]+@[^\s<>,;"@]+)$/.test(item),
        ),
    },
    { meaning: 'The sender of our mail. Needs `SWITCHYARD_SMTP_HOST`.' },
  ),
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
  SWITCHYARD_REQUESTS: withDefault(
    whole({
      min: 1,
      max: 10_000,
      meaning: 'Maximum concurrent requests, per process. Webhooks have the same limit of their own.',
    }),
    '128',
  ),
  SWITCHYARD_REQUESTS_AT_FIRST: withDefault(
    whole({
      min: 1,
      max: 10_000,
      meaning: 'Maximum concurrent requests in a process that has just started.',
    }),
    '4',
  ),
  SWITCHYARD_REQUESTS_PER_CALLER: withDefault(
    whole({ min: 1, max: 10_000, meaning: 'Maximum concurrent requests of one principal.' }),
    '32',
  ),
  SWITCHYARD_REQUESTS_WAITING: withDefault(
    whole({
      min: 0,
      max: 100_000,
      meaning: 'Maximum requests that wait for their turn; further ones get 503.',
    }),
    '1024',
  ),
  SWITCHYARD_REQUESTS_WAIT_SECONDS: withDefault(
    whole({
      min: 0,
      max: 60,
      unit: 'seconds',
      meaning: 'How long a request waits for its turn before it gets 503.',
    }),
    '10',
  ),
  SWITCHYARD_WORKERS: withDefault(
    whole({
      min: 1,
      max: 64,
      meaning:
        'Maximum organizations that one kind of background work processes at once. Work that waits for sellers processes eight times as many.',
    }),
    '4',
  ),
  SWITCHYARD_STOP_SECONDS: withDefault(
    whole({
      min: 2,
      max: 3_600,
      unit: 'seconds',
      meaning:
        'How long the process may run after SIGTERM. Then it exits, even if requests are not finished.',
    }),
    '25',
  ),
  SWITCHYARD_STOP_GRACE_SECONDS: whole({
    min: 0,
    max: 600,
    unit: 'seconds',
    meaning: 'How long `/readyz` fails, while requests are still served, before the process stops listening.',
    absentText: '5; 0 in the local profile',
  }),
  SWITCHYARD_RATE_READS: withDefault(
    rate({ meaning: 'Reads of one principal, per process: how many per second, and how many at once.' }),
    '300/1500',
  ),
  SWITCHYARD_RATE_WRITES: withDefault(
    rate({ meaning: 'Changes by one principal, per process.' }),
    '240/1200',
  ),
  SWITCHYARD_RATE_COMBINED: rate({
    meaning: 'Reads and changes of one principal together, per process.',
    absentText: '350/1700, or the largest of the three',
  }),
  SWITCHYARD_RATE_INSERTS: withDefault(
    rate({
      meaning:
        'Accepted changes of one account of one principal, over all processes: the first per second over a minute, the second over ten seconds.',
    }),
    '60/300',
  ),
  SWITCHYARD_RATE_PUBLIC: withDefault(
    rate({ meaning: 'Requests without credentials from one address, per process.' }),
    '10/100',
  ),
  SWITCHYARD_RATE_FAILURES: withDefault(
    rate({ meaning: 'Requests with invalid credentials from one address, per process.' }),
    '10/200',
  ),
  SWITCHYARD_WEBHOOKS_PER_MINUTE: withDefault(
    whole({
      min: 1,
      max: 999_999_999,
      meaning: 'Webhooks that one verified sender may send in a minute, per process.',
    }),
    '60000',
  ),
  SWITCHYARD_WEBHOOK_BYTES_DAYS: whole({
    min: 1,
    max: 99_999,
    unit: 'days',
    meaning:
      'After how many days the bytes of received webhooks are deleted, except of webhooks that wait for a person.',
    absentText: 'they are kept',
  }),
  SWITCHYARD_WEBHOOK_ACTIVITY_DAYS: whole({
    // A seller that reports webhook_activity reports at least 30 days of it.
    min: 30,
    max: 99_999,
    unit: 'days',
    meaning: 'After how many days webhooks to buyers and their attempts (`webhook_activity`) are deleted.',
    absentText: 'they are kept',
  }),
  SWITCHYARD_AUDIT_DAYS: withDefault(
    whole({
      min: 0,
      max: 99_999,
      unit: 'days',
      meaning:
        'After how many days records of the audit are deleted; 0: never. Records of the last 30 days are always kept.',
    }),
    '730',
  ),
  SWITCHYARD_CHANGES_DAYS: withDefault(
    whole({
      min: 1,
      max: 99_999,
      unit: 'days',
      meaning:
        'After how many days rows of `GET /v1/changes` are deleted. A client that returns later must read everything again.',
    }),
    '7',
  ),
  SWITCHYARD_STREAMS: withDefault(
    whole({
      min: 0,
      max: 100_000,
      meaning:
        'Maximum concurrent streams of `GET /v1/changes`, per process; one organization may hold three quarters.',
    }),
    '1000',
  ),
  SWITCHYARD_STREAMS_PER_CALLER: withDefault(
    whole({
      min: 1,
      max: 10_000,
      meaning: 'Maximum concurrent streams of `GET /v1/changes` of one principal.',
    }),
    '10',
  ),
  SWITCHYARD_SPEND_LIMIT: withDefault(
    decimal({
      min: 1,
      max: 100,
      meaning:
        "The multiple of a buy's budget that its reported spend may reach. A report above it goes to quarantine and waits for a person.",
    }),
    '1.5',
  ),
  SWITCHYARD_KEYIDS_SHORT_RATIO: decimal({
    ...keyids,
    meaning: 'Alarm `keyids_surge`: new keys in five minutes, as a multiple of the average of a day.',
    absentText: '3',
  }),
  SWITCHYARD_KEYIDS_MEDIUM_RATIO: decimal({
    ...keyids,
    meaning: 'New keys in an hour, as a multiple of the 95th percentile of 30 days.',
    absentText: '2',
  }),
  SWITCHYARD_KEYIDS_LONG_RATIO: decimal({
    ...keyids,
    meaning: 'New keys in a day, as a multiple of the 99th percentile of 90 days.',
    absentText: '1.5',
  }),
  SWITCHYARD_KEYIDS_FLOOR: decimal({
    ...keyids,
    meaning: 'New keys in five minutes that always raise the alarm.',
    absentText: '20',
  }),
  SWITCHYARD_KEYIDS_SHARE: decimal({
    ...keyids,
    meaning: 'New keys in five minutes, as a share of those of 30 days.',
    absentText: '0.1',
  }),
  SWITCHYARD_KEYIDS_LEAST: decimal({
    ...keyids,
    meaning: 'With fewer new keys than this the ratios raise no alarm.',
    absentText: '5',
  }),
  SWITCHYARD_LOG_LEVEL: withDefault(
    choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      meaning: 'The lowest level that is logged.',
    }),
    'warn',
  ),
  SWITCHYARD_MANAGEMENT_PORT: whole({
    min: 1,
    max: 65_535,
    meaning:
      'A port for `/metrics`, `/livez`, `/readyz` and `/log-level`, without credentials. The public port then has no `/metrics`.',
  }),
  SWITCHYARD_MANAGEMENT_HOST: withDefault(
    setting(
      { type: 'a host name or an IP address', schema: host },
      { meaning: 'The address of the management port. Whoever reaches it may change the level of the log.' },
    ),
    '127.0.0.1',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    { type: 'an address that begins with https:// or http://', schema: collector },
    {
      meaning:
        'The collector that takes traces (OTLP over HTTP); `/v1/traces` is added. The address is yours and passes no guard.',
      absentText: 'no traces',
    },
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret('NAME=VALUE, separated by commas', otlpPairs, {
    meaning: 'Headers for the collector, for example a credential.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS_FILE: text('the path of a file', {
    meaning: 'A file with these headers, instead of `OTEL_EXPORTER_OTLP_HEADERS`.',
  }),
  OTEL_SERVICE_NAME: withDefault(
    text('a name', { meaning: 'The name of this service in traces.' }),
    'switchyard',
  ),
  OTEL_RESOURCE_ATTRIBUTES: setting(
    { type: 'NAME=VALUE, separated by commas', schema: z.string().regex(otlpPairs) },
    { meaning: 'Attributes of every trace, for example `deployment.environment.name=production`.' },
  ),
  OTEL_TRACES_SAMPLER_ARG: withDefault(
    decimal({
      min: 0,
      max: 1,
      meaning: 'The share of new traces that is recorded. No caller can change it.',
    }),
    '0.01',
  ),
  SWITCHYARD_TOKEN: secret('a token', /^\S+$/, {
    meaning: 'For commands: the token to use.',
    absentText: 'one made for the command',
  }),
  SWITCHYARD_DEBUG: text('any text', {
    meaning: 'For commands: show an unexpected error with its stack trace.',
  }),
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

type Table = typeof settingsTable;
type SettingName = keyof Table;

/** The values of the environment, by the names of its variables, with defaults. */
export type Settings = {
  readonly [Name in SettingName]: Table[Name]['absent'] | z.output<Table[Name]['schema']>;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is given about a database without its address would be ignored, and a password that cannot be read is none. */
export function databaseProblems(env: Environment, settings: Settings): readonly string[] {
  const isGiven = (name: string): boolean => (env[name]?.trim() ?? '') !== '';
  const needs = (
    [
      ['DATABASE_PASSWORD_FILE', 'DATABASE_URL'],
      ['DATABASE_OWNER_PASSWORD_FILE', 'DATABASE_OWNER_URL'],
      ['DATABASE_OWNER_URL', 'DATABASE_URL'],
    ] as const
  ).filter(([name, other]) => isGiven(name) && !isGiven(other));
  const unreadable = (['DATABASE_PASSWORD_FILE', 'DATABASE_OWNER_PASSWORD_FILE'] as const).filter((name) => {
    try {
      accessSync(settings[name] ?? '.', constants.R_OK);
      return false;
    } catch {
      return true;
    }
  });
  return [
    ...needs.map(([name, other]) => `${name} needs ${other}.`),
    ...unreadable.map((name) => `The file of ${name} cannot be read.`),
  ];
}

/** Reads each row separately; an invalid one gets its default, so that settings that depend on it are checked too. */
export function readSettings(env: Environment): { readonly settings: Settings; readonly problems: string[] } {
  const problems = unknownNames(env).map(unknownProblem);
  const settings = Object.entries<Setting<unknown>>(settingsTable).map(([name, row]) => {
    const given = env[name]?.trim() ?? '';
    if (given === '') return [name, row.absent];
    const read = row.schema.safeParse(given);
    if (read.success) return [name, read.data];
    const shown = row.isSecret ? '' : ` It is ${JSON.stringify(given.slice(0, 60))}.`;
    problems.push(`${name} should be ${row.type}.${shown}`);
    return [name, row.absent];
  });
  return { settings: Object.fromEntries(settings) as Settings, problems };
}

/** Read by the tests and benchmarks of this repository, whose programs may start in the same environment. */
const ofTools = /^SWITCHYARD_(PUBLISHED_FOLDER|WIRE_FOLDER|WIRE_LOG|WRITE_COVERAGE|BENCH_STALLS)$/;
/** Kubernetes sets these in every container beside a Service whose name begins with `switchyard`. */
const ofKubernetes = /_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)?$/;

function unknownNames(env: Environment): readonly string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith('SWITCHYARD_') &&
      !Object.hasOwn(settingsTable, name) &&
      !ofTools.test(name) &&
      !ofKubernetes.test(name),
  );
}

/** An unknown variable is refused: the mistake would otherwise show much later. */
function unknownProblem(name: string): string {
  const known = Object.keys(settingsTable).map((setting) => ({
    setting,
    distance: editDistance(name, setting),
  }));
  const [nearest] = known.sort((left, right) => left.distance - right.distance);
  const hint = nearest !== undefined && nearest.distance <= 5 ? ` Did you mean ${nearest.setting}?` : '';
  return `${name} is no setting.${hint}`;
}

/** The number of letters to insert, remove or replace. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(left).entries()) {
    const next = [at + 1];
    for (const [column, other] of Array.from(right).entries())
      next.push(
        Math.min(
          (row[column + 1] ?? 0) + 1,
          (next[column] ?? 0) + 1,
          (row[column] ?? 0) + (letter === other ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
