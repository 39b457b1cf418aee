import type { Bucket } from '@switchyard/egress';
import { err, ok, Secret, type Result } from '@switchyard/values';
import type { StartFailure } from '../../platform/start-failure.js';
import { readText } from './read-text.js';
import type { Settings } from './settings.js';

/** A bucket, and where in it. */
export interface BucketPlace {
  readonly bucket: Bucket;
  /** Without slashes at its ends; empty for the whole bucket. */
  readonly prefix: string;
}

/** `s3://BUCKET/PREFIX`. */
const bucketPattern = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./=-]*))?$/;

/** The bucket of an address `s3://BUCKET/PREFIX`, with the region, endpoint and key of the settings. */
export function bucketAt(address: string, settings: Settings): Result<BucketPlace, StartFailure> {
  const [, name, prefix = ''] = bucketPattern.exec(address) ?? [];
  if (name === undefined) return refused('A bucket is given as s3://BUCKET or s3://BUCKET/PREFIX.');
  const {
    SWITCHYARD_BUCKET_REGION: region,
    SWITCHYARD_BUCKET_ENDPOINT: endpoint = `https://s3.${region}.amazonaws.com`,
    SWITCHYARD_BUCKET_KEY_ID: id,
    SWITCHYARD_BUCKET_SECRET: given,
    SWITCHYARD_BUCKET_SECRET_FILE: file,
  } = settings;
  const secret = file === undefined ? given : readText(file);
  if (id === undefined || secret === undefined)
    return refused(
      'A bucket needs SWITCHYARD_BUCKET_KEY_ID and its secret, or a file with it that can be read.',
    );
  const key = { id, secret: new Secret(Buffer.from(secret)) };
  const bucket = { endpoint: endpoint.replace(/\/+$/, ''), region, name, key };
  return ok({ bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') });
}

const refused = (message: string): Result<never, StartFailure> => err({ code: 'settings', message });
