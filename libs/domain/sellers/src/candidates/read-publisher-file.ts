import { createHash } from 'node:crypto';
import { err, isJsonObject, ok, parseStrictJson, type JsonObject, type Result } from '@switchyard/values';
import { egressCaps, type Egress, type EgressAnswer, type EgressFailureCode } from '../egress-port.js';
import { siteOfUrl } from './find-input.js';

/** How a row begins of a document whose server gave no answer. */
export const notRead = 'Not read:';

/** `absent`: there is no such document. `unavailable`: its current content is unknown. */
export type FileFailure = 'absent' | 'unavailable';

/**
 * What became of one address: `missing`: nothing is there, or nothing answers; `refused`: what is there breaks a rule;
 * `redirected`: it names another address, which the next row is about; `rolled_back`: it is older than what is stored.
 */
export interface DocumentRow {
  readonly url: string;
  readonly state: 'read' | 'missing' | 'refused' | 'rolled_back' | 'redirected';
  /** A text for people: absent of a document that was read. */
  readonly why?: string;
}

/** One document of a publisher, with the address that it was read from. */
export interface PublisherFile {
  readonly document: JsonObject;
  readonly url: string;
  readonly sha256: string;
  /** Milliseconds for which the publisher allows caching; undefined if it sets no limit. */
  readonly maxAgeMs?: number;
  /** The address that the first document points to, if it is a pointer. */
  readonly location?: string;
}

/** What the reading of one document found, and the addresses on the way to it. */
export interface FileReading {
  readonly outcome: Result<PublisherFile, FileFailure>;
  readonly rows: readonly DocumentRow[];
}

interface Caps {
  readonly first: number;
  /** Of the document that the first one points to. */
  readonly pointed: number;
}

const mostRedirects = 3;
const timeoutMs = 10_000;
/** Maximum members and bytes of a document: that of a network with 30,000 properties has about 330,000 in 7 MB. */
const bounds = { maxMembers: 600_000, maxBytes: egressCaps.adagentsElsewhere };

export const adagentsCaps: Caps = { first: egressCaps.adagents, pointed: egressCaps.adagentsElsewhere };
export const brandCaps: Caps = { first: egressCaps.brandJson, pointed: egressCaps.brandJson };

/**
 * Reads one document of a publisher over at most three redirects within the site that was asked first. If it points to
 * another document, that one is read instead; there no redirect is followed, and it may not point further
 * (docs/protocol/products.md#publishers). `pointerIn` finds the pointer.
 */
export async function readPublisherFile(
  egress: Pick<Egress, 'request'>,
  start: string,
  caps: Caps,
  pointerIn: (document: JsonObject) => string | undefined,
): Promise<FileReading> {
  const rows: DocumentRow[] = [];
  const first = await following(egress, start, caps.first, rows);
  if (!first.ok) return { outcome: first, rows };
  const location = pointerIn(first.value.document);
  if (location === undefined) {
    rows.push({ url: first.value.url, state: 'read' });
    return { outcome: first, rows };
  }
  const refuse = (url: string, why: string): FileReading => {
    rows.push({ url, state: 'refused', why });
    return { outcome: err('unavailable'), rows };
  };
  if (!isAllowedPointer(location, start)) return refuse(first.value.url, 'It points to no https address.');
  rows.push({ url: first.value.url, state: 'redirected', why: 'It points to another document.' });
  const second = await get(egress, location, caps.pointed);
  if (!second.ok) {
    rows.push(second.error.row);
    return { outcome: err('unavailable'), rows };
  }
  if (second.value.kind === 'moved')
    return refuse(location, 'A document that is pointed to may not redirect.');
  if (pointerIn(second.value.document) !== undefined)
    return refuse(location, 'One document may speak for another, and no third one.');
  rows.push({ url: location, state: 'read' });
  return { outcome: ok({ ...second.value, location }), rows };
}

/** A pointer leads to https; a document on loopback may also point to loopback. */
function isAllowedPointer(location: string, start: string): boolean {
  if (location.startsWith('https://')) return URL.canParse(location);
  return start.startsWith('http://') && location.startsWith('http://') && URL.canParse(location);
}

type Got = ({ readonly kind: 'document' } & PublisherFile) | { readonly kind: 'moved'; readonly to: string };

async function following(
  egress: Pick<Egress, 'request'>,
  start: string,
  maxBytes: number,
  rows: DocumentRow[],
): Promise<Result<PublisherFile, FileFailure>> {
  let url = start;
  for (let hop = 0; ; hop += 1) {
    const got = await get(egress, url, maxBytes);
    if (!got.ok) {
      rows.push(got.error.row);
      return err(got.error.code);
    }
    if (got.value.kind === 'document') return ok(got.value);
    const why = wrongHop(got.value.to, url, start, hop);
    if (why !== undefined) {
      rows.push({ url, state: 'refused', why });
      return err('unavailable');
    }
    rows.push({ url, state: 'redirected', why: 'It redirects.' });
    url = new URL(got.value.to, url).href;
  }
}

function wrongHop(to: string, url: string, start: string, hop: number): string | undefined {
  if (hop >= mostRedirects) return 'It redirects more than three times.';
  const next = URL.canParse(to, url) ? new URL(to, url) : undefined;
  if (next?.protocol !== new URL(start).protocol) return 'It redirects to no https address.';
  return siteOfUrl(next.href) === siteOfUrl(start) ? undefined : 'It redirects to another site.';
}

interface GetFailure {
  readonly code: FileFailure;
  readonly row: DocumentRow;
}

/** Failures of our own guard, and answers that break a limit; all others mean that nothing answers. */
const refusals: ReadonlySet<EgressFailureCode> = new Set<EgressFailureCode>([
  'blocked_url',
  'blocked_scheme',
  'blocked_address',
  'too_large',
  'encoding_refused',
]);

async function get(
  egress: Pick<Egress, 'request'>,
  url: string,
  maxBytes: number,
): Promise<Result<Got, GetFailure>> {
  const headers = { accept: 'application/json' };
  const answer = await egress.request({
    method: 'GET',
    url,
    headers,
    maxBytes,
    timeoutMs,
    returnsRedirects: true,
  });
  const failed = (code: FileFailure, state: DocumentRow['state'], why: string) =>
    err({ code, row: { url, state, why } });
  if (!answer.ok) {
    const { code, message } = answer.error;
    const state = refusals.has(code) ? 'refused' : 'missing';
    return failed(code === 'unresolved' ? 'absent' : 'unavailable', state, `${notRead} ${message}.`);
  }
  const { status, body } = answer.value;
  if (status === 404 || status === 410) return failed('absent', 'missing', `Nothing is there (${status}).`);
  if (status >= 300 && status < 400) {
    const to = answer.value.headers['location'];
    if (typeof to === 'string') return ok({ kind: 'moved', to });
  }
  if (status !== 200) return failed('unavailable', 'missing', `It answers ${status}.`);
  const parsed = parseStrictJson(body, bounds);
  if (!parsed.ok) return failed('unavailable', 'refused', `It is no strict JSON: ${parsed.error.message}`);
  const document = parsed.value.value;
  if (!isJsonObject(document)) return failed('unavailable', 'refused', 'It is no JSON object.');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return ok({ kind: 'document', document, url, sha256, ...ageOf(answer.value) });
}

function ageOf({ headers }: EgressAnswer): { readonly maxAgeMs?: number } {
  const reported = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/i.exec(
    String(headers['cache-control'] ?? ''),
  )?.[1];
  return reported === undefined ? {} : { maxAgeMs: Number(reported) * 1000 };
}
