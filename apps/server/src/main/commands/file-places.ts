import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createEgress, getObject, listObjects, putObject } from '@switchyard/egress';
import type { AskPlace, FilePlace, PlacedFile } from '@switchyard/ledger';
import type { Egress } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { systemClock } from '../../platform/clock.js';
import type { StartFailure } from '../../platform/start-failure.js';
import { loadConnectors } from '../load-connectors.js';
import { bucketAt } from '../settings/bucket.js';
import { readConfiguration } from '../settings/read-configuration.js';
import { readText } from '../settings/read-text.js';
import type { Settings } from '../settings/settings.js';
import type { SwitchyardOptions } from '../switchyard-options.js';

type Env = SwitchyardOptions['env'];

/** Where files go and come from: a bucket, or what a connector brings. Each call rejects with words for people. */
export interface OpenPlace {
  put(path: string, body: Buffer): Promise<void>;
  get(path: string): Promise<Buffer | undefined>;
  /** The files right in the place. */
  list(): Promise<readonly PlacedFile[]>;
}

/** The largest file that is sent or fetched, in bytes: it is read into memory. */
export const largestFile = 512 * 1024 * 1024;
const largestAnswer = 2_000_000;
/** The most files of one place that are looked at, and requests of one call of a connector. */
const mostFiles = 10_000;
const mostRequests = 100;
/** How long one request may take, in milliseconds. */
const requestMs = 300_000;

const refused = (message: string): Result<never, StartFailure> => err({ code: 'files', message });

const placePattern = /^([a-z][a-z0-9]*)\+(https?:\/\/[^/?#\\@]+(?:\/[^?#\\]*)?)$/;

/** Whether an address names a place, and no folder of this machine. */
export const isPlace = (address: string): boolean =>
  address.startsWith('s3:') || /^[a-z][a-z0-9]*\+https?:/.test(address);

/** Does something at a place: `s3://BUCKET/PREFIX`, or `SCHEME+https://HOST/FOLDER` of a connector. */
export async function atPlace<Value>(
  address: string,
  settings: Settings,
  work: (place: OpenPlace) => Promise<Value>,
): Promise<Result<Value, StartFailure>> {
  const egress = createEgress({ allowLoopback: true });
  try {
    const place = openPlace(address, settings, egress);
    if (!place.ok) return place;
    return ok(await work(place.value));
  } catch (error) {
    return refused((error as Error).message);
  } finally {
    await egress.close();
  }
}

async function atPlaceOf<Value>(
  env: Env,
  address: string,
  work: (place: OpenPlace) => Promise<Value>,
): Promise<Result<Value, StartFailure>> {
  const configuration = readConfiguration(env);
  return configuration.ok ? atPlace(address, configuration.value.settings, work) : configuration;
}

function openPlace(address: string, settings: Settings, egress: Egress): Result<OpenPlace, StartFailure> {
  if (address.startsWith('s3:')) return bucketPlace(address, settings, egress);
  const [, scheme, base] = placePattern.exec(address) ?? [];
  if (scheme === undefined || base === undefined)
    return refused('A place is given as s3://BUCKET/PREFIX or SCHEME+https://HOST/FOLDER.');
  const connectors = loadConnectors(settings.SWITCHYARD_CONNECTORS ?? [], process.cwd());
  if (!connectors.ok) return connectors;
  const found = connectors.value.files.find((one) => one.scheme === scheme);
  if (found === undefined)
    return refused(
      `No connector brings places of the scheme ${scheme}: name its package in SWITCHYARD_CONNECTORS.`,
    );
  const file = settings.SWITCHYARD_PLACE_AUTHORIZATION_FILE;
  const authorization = file === undefined ? settings.SWITCHYARD_PLACE_AUTHORIZATION : readText(file);
  if (file !== undefined && authorization === undefined)
    return refused(`The file ${file} of SWITCHYARD_PLACE_AUTHORIZATION_FILE cannot be read.`);
  return ok(connectorPlace(found, { base: base.replace(/\/+$/, ''), authorization }, egress));
}

function bucketPlace(address: string, settings: Settings, egress: Egress): Result<OpenPlace, StartFailure> {
  const found = bucketAt(address, settings);
  if (!found.ok) return found;
  const { bucket, prefix } = found.value;
  const folder = prefix === '' ? '' : `${prefix}/`;
  const at = (path: string) => ({ path: `${folder}${path}`, at: systemClock.now() });
  return ok({
    put: async (path, body) => heldBy(await putObject(egress, bucket, { ...at(path), body })),
    get: async (path) => heldBy(await getObject(egress, bucket, at(path))),
    list: async () =>
      heldBy(await listObjects(egress, bucket, { prefix: folder, at: systemClock.now() })).flatMap(
        ({ path, bytes }) => {
          const name = path.slice(folder.length);
          return name === '' || name.includes('/') ? [] : [{ name, bytes }];
        },
      ),
  });
}

function heldBy<Value>(answer: Result<Value, { readonly message: string }>): Value {
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

interface Target {
  /** Without a slash at its end. */
  readonly base: string;
  readonly authorization: string | undefined;
}

function connectorPlace(place: FilePlace, target: Target, egress: Egress): OpenPlace {
  const asking = (): AskPlace => askOf(target, egress);
  return {
    put: (path, body) => place.put({ path, body }, asking()),
    get: (path) => place.get(path, asking()),
    list: () => place.list('', asking()),
  };
}

/** A path below the place, and nowhere else. */
const isBelow = (path: string): boolean =>
  /^(?:\/[^/?#\\]+)*$/.test(path) && !/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path) && !/%2f|%5c/i.test(path);

/** Sends the requests of a connector, with the credential that it never has. */
function askOf({ base, authorization }: Target, egress: Egress): AskPlace {
  let asked = 0;
  return async ({ method, path, headers = {}, destination, body }) => {
    asked += 1;
    if (asked > mostRequests)
      throw new Error(`A connector sent more than ${mostRequests} requests for one file.`);
    const own = Object.keys(headers).some((name) => /^(authorization|destination|host)$/i.test(name));
    if (own || !isBelow(path) || (destination !== undefined && !isBelow(destination)))
      throw new Error('A connector asked for something beside the place.');
    const sent = await egress.request({
      method,
      url: `${base}${path}`,
      headers: {
        ...headers,
        ...(authorization !== undefined && { authorization }),
        ...(destination !== undefined && { destination: `${base}${destination}` }),
      },
      ...(body !== undefined && { body }),
      maxBytes: method === 'GET' ? largestFile : largestAnswer,
      timeoutMs: requestMs,
    });
    if (!sent.ok) throw new Error(`${base} cannot be reached: ${sent.error.code}.`);
    if (sent.value.status === 401 || sent.value.status === 403)
      throw new Error(`${base} refused SWITCHYARD_PLACE_AUTHORIZATION (${sent.value.status}).`);
    return { status: sent.value.status, body: sent.value.body };
  };
}

/** Sends files to a place, each under the last part of its path. Answers their names and sizes. */
export function sendFiles(
  files: readonly string[],
  to: string,
  env: Env,
): Promise<Result<readonly PlacedFile[], StartFailure>> {
  return atPlaceOf(env, to, async (place) => {
    const sent: PlacedFile[] = [];
    for (const file of files) {
      const name = basename(file);
      await putFile(place, name, file);
      sent.push({ name, bytes: (await stat(file)).size });
    }
    return sent;
  });
}

/** Sends a file of this machine. */
export async function putFile(place: OpenPlace, path: string, file: string): Promise<void> {
  const { size } = await stat(file);
  if (size > largestFile)
    throw new Error(`${path} has ${size} bytes: files of up to ${largestFile} are sent. Write to a folder.`);
  await place.put(path, await readFile(file));
}

/** What a file of somebody else may be called in a folder of ours. */
const isName = (name: string): boolean =>
  // Neither a slash, nor a sign that a terminal gives a meaning.
  /^[^/\\\p{Cc}]{1,200}$/u.test(name) && !name.startsWith('.');

interface Fetched {
  readonly fetched: readonly PlacedFile[];
  /** Files that were here before, with the same size, and names that no file may have. */
  readonly left: number;
}

/** Fetches the files of a place into a folder, but for those that are there with their size. */
export function fetchFiles(from: string, folder: string, env: Env): Promise<Result<Fetched, StartFailure>> {
  return atPlaceOf(env, from, async (place) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const listed = await place.list();
    if (listed.length > mostFiles)
      throw new Error(`${from} has more than ${mostFiles} files: move what was fetched away.`);
    const fetched: PlacedFile[] = [];
    for (const { name, bytes } of listed) {
      const path = join(folder, name);
      if (!isName(name) || (await stat(path).catch(() => undefined))?.size === bytes) continue;
      const body = await place.get(name);
      if (body === undefined) continue;
      const draft = join(folder, `.${name}.part`);
      try {
        await writeFile(draft, body, { mode: 0o600 });
        await rename(draft, path);
      } finally {
        await rm(draft, { force: true });
      }
      fetched.push({ name, bytes: body.length });
    }
    return { fetched, left: listed.length - fetched.length };
  });
}
