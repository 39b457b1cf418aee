import { join } from 'node:path';
import { listObjects, openObject, putObject, removeObject } from '@switchyard/egress';
import type { Egress } from '@switchyard/sellers';
import { ok, type Result } from '@switchyard/values';
import { creativeBucket } from '../creatives/creative-bucket.js';
import { creativeFolder, type CreativeFolder } from '../creatives/creative-folder.js';
import { systemClock } from '../platform/clock.js';
import type { StartFailure } from '../platform/start-failure.js';
import { bucketAt } from './settings/bucket.js';
import type { Settings } from './settings/settings.js';

/** Where uploaded files of creatives are: a folder, or a bucket where the setting names one (`s3://BUCKET/PREFIX`). */
export function creativeFiles(
  settings: Settings,
  dataDir: string,
  egress: Egress,
): Result<CreativeFolder, StartFailure> {
  const named = settings.SWITCHYARD_CREATIVE_FOLDER;
  if (named?.startsWith('s3:') !== true) return ok(creativeFolder(named ?? join(dataDir, 'creative-files')));
  const place = bucketAt(named, settings);
  if (!place.ok) return place;
  const { bucket, prefix } = place.value;
  const at = () => systemClock.now();
  const objects = {
    put: (path: string, body: Buffer) => putObject(egress, bucket, { path, body, at: at() }),
    open: (path: string) => openObject(egress, bucket, { path, at: at() }),
    remove: (path: string) => removeObject(egress, bucket, { path, at: at() }),
    list: (wanted: string) => listObjects(egress, bucket, { prefix: wanted, at: at() }),
  };
  return ok(creativeBucket(objects, prefix, at));
}
