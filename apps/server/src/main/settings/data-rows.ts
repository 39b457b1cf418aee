import { z } from 'zod';
import { choice, collector, secret, setting, text, whole, withDefault } from './setting-kinds.js';

const database = /^postgres(ql)?:\/\/[^/]*\/[^/?]+/;
const databaseType = 'an address like postgresql://user:password@host:5432/database';

/** Where data is stored, and with which rights. */
export const dataSettings = {
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
  SWITCHYARD_REPORTS_TO: text('the path of a folder, s3://BUCKET/PREFIX, or the place of a connector', {
    meaning:
      'Where jobs write the files of reports (`switchyard reports write`), a folder for each organization. All workers share it.',
    absentText: 'none: there are no such jobs',
  }),
  SWITCHYARD_ARCHIVE_FOLDER: text('the path of a folder', {
    meaning:
      'Where jobs archive months (`switchyard ledger archive --job`). Workers that know the owner of the tables do it, and share the folder.',
    absentText: 'none: there are no such jobs',
  }),
  SWITCHYARD_PLACE_AUTHORIZATION: secret('the value of a header', /^[\x20-\x7e]{1,4096}$/, {
    meaning:
      'Sent as `Authorization` to the place for files that a command names (`SCHEME+https://HOST/FOLDER`), for example `Basic ...`.',
    absentText: 'none',
  }),
  SWITCHYARD_PLACE_AUTHORIZATION_FILE: text('the path of a file', {
    meaning: 'A file with that value, instead of `SWITCHYARD_PLACE_AUTHORIZATION`.',
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
  REDIS_PASSWORD_FILE: text('the path of a file', {
    meaning: 'A file with the password of `REDIS_URL`, instead of one in the URL.',
  }),
} as const;
