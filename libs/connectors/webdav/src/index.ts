import type { AskPlace, FilePlace, PlacedFile } from '@switchyard/ledger';

const encoded = (path: string): string =>
  path
    .split('/')
    .filter((step) => step !== '')
    .map((step) => `/${encodeURIComponent(step)}`)
    .join('');

/** The name under which a file is sent, before it is moved to its own. */
const draftOf = (path: string): string => path.replace(/[^/]+$/, (name) => `.${name}.part`);
const isDraft = (name: string): boolean => name.startsWith('.') && name.endsWith('.part');

const refused = (what: string, status: number): never => {
  throw new Error(`${what} was refused with status ${status}.`);
};

/** Makes the folders above a file (RFC 4918, 9.3: one that is there answers 405). */
async function makeFolders(path: string, ask: AskPlace): Promise<void> {
  const steps = path.split('/').slice(0, -1);
  for (let length = 1; length <= steps.length; length += 1) {
    const { status } = await ask({ method: 'MKCOL', path: encoded(steps.slice(0, length).join('/')) });
    if (status !== 201 && status !== 405) refused('A folder', status);
  }
}

/** Sends a draft and moves it to its name, so that nobody reads half of a file. */
async function put({ path, body }: { readonly path: string; readonly body: Buffer }, ask: AskPlace) {
  const draft = encoded(draftOf(path));
  const send = async (): Promise<number> => (await ask({ method: 'PUT', path: draft, body })).status;
  let status = await send();
  // RFC 4918, 9.7.1: a folder above it is missing. Some servers say 404.
  if (status === 409 || status === 404) {
    if (!path.includes('/')) throw new Error('The folder of the place is not there.');
    await makeFolders(path, ask);
    status = await send();
  }
  if (status < 200 || status > 299) refused('The file', status);
  const moved = await ask({
    method: 'MOVE',
    path: draft,
    destination: encoded(path),
    headers: { overwrite: 'T' },
  });
  if (moved.status !== 201 && moved.status !== 204) refused('The name of the file', moved.status);
}

async function get(path: string, ask: AskPlace): Promise<Buffer | undefined> {
  const { status, body } = await ask({ method: 'GET', path: encoded(path) });
  if (status === 404) return undefined;
  return status === 200 ? body : refused('The file', status);
}

const asked =
  '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/></prop></propfind>';

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of an element of any prefix. */
const textIn = (xml: string, name: string): string =>
  (new RegExp(`<(?:\\w+:)?${name}(?:\\s[^<>]*)?>([^<]{0,4096})<`).exec(xml)?.[1] ?? '').replaceAll(
    /&(amp|lt|gt|quot|apos);/g,
    (_whole, entity: string) => entities[entity] ?? '',
  );

async function list(folder: string, ask: AskPlace): Promise<readonly PlacedFile[]> {
  const { status, body } = await ask({
    method: 'PROPFIND',
    path: encoded(folder),
    headers: { depth: '1', 'content-type': 'application/xml' },
    body: Buffer.from(asked),
  });
  if (status === 404) return [];
  if (status !== 207) return refused('The list of files', status);
  return body
    .toString('utf8')
    .split(/<\/(?:\w+:)?response>/)
    .flatMap((response) => {
      if (/<(?:\w+:)?collection[\s/>]/.test(response)) return [];
      const name = nameOf(textIn(response, 'href'));
      return name === undefined || isDraft(name)
        ? []
        : [{ name, bytes: Number(textIn(response, 'getcontentlength')) }];
    });
}

function nameOf(href: string): string | undefined {
  const last = href.split('/').at(-1);
  if (last === undefined || last === '') return undefined;
  try {
    return decodeURIComponent(last);
  } catch {
    return undefined;
  }
}

/** A folder of a WebDAV server (RFC 4918), such as Nextcloud, Apache or IIS. */
export const webdav: FilePlace = { kind: 'files', scheme: 'webdav', title: 'WebDAV', put, get, list };

export const connectors = [webdav];
