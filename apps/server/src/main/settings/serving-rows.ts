import { isHostName } from '@switchyard/tenancy';
import { z } from 'zod';
import { isLoopback } from '../../platform/http/access/peer-address.js';
import {
  choice,
  host,
  isNetwork,
  isOrigin,
  list,
  secret,
  setting,
  text,
  whole,
  withDefault,
} from './setting-kinds.js';

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

/** How it is reached, what it takes, and how people sign in and are mailed. */
export const servingSettings = {
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
  SWITCHYARD_CELL: setting(
    { type: 'one letter from a to z', schema: z.string().regex(/^[a-z]$/) },
    {
      meaning:
        'The letter of this installation among several behind one host. Tokens and ids that others keep have it, so that a proxy finds their installation. What was made without it goes on working.',
    },
  ),
  SWITCHYARD_ORIGINS: list('origins like https://tool.example, separated by commas', isOrigin, {
    meaning:
      'Pages of these origins may call MCP, A2A, REST and the token endpoint, with a credential in a header and never with a cookie. Public documents answer every origin.',
  }),
  SWITCHYARD_CONNECTORS: list('packages or files, separated by commas', (item) => item !== '', {
    meaning:
      'Connectors to sellers, accounting systems, and places for notices and files outside of the product: packages, or paths of files from the current folder. They run with all rights of the process.',
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
    whole({
      min: 0,
      max: 10_000,
      meaning: 'Maximum uploaded files of creatives, per organization. 0: none is taken.',
    }),
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
} as const;
