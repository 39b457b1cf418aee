import { expect, it } from '@jest/globals';
import { checkPlace, type AskPlace, type FilePlace } from '@switchyard/ledger';
import { startWebdavServer } from '@switchyard/testing';
import { webdav } from './index.js';

const authorization = 'Basic c3dpdGNoeWFyZDp4';

/** The rules that a place breaks, at an empty server. */
async function broken(place: FilePlace): Promise<readonly string[]> {
  const server = await startWebdavServer(authorization);
  const ask: AskPlace = async ({ method, path, headers, destination, body }) => {
    const sent = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...headers,
        authorization,
        ...(destination !== undefined && { destination: `${server.url}${destination}` }),
      },
      ...(body !== undefined && { body: new Uint8Array(body) }),
    });
    return { status: sent.status, body: Buffer.from(await sent.arrayBuffer()) };
  };
  try {
    return (await checkPlace(place, ask)).flatMap(({ rule, passed }) => (passed ? [] : [rule]));
  } finally {
    await server.close();
  }
}

it('passes every rule of the kit at a server of WebDAV', async () => {
  expect(await broken(webdav)).toEqual([]);
});

const planted: readonly (readonly [string, Partial<FilePlace>])[] = [
  ['has a name that can stand before an address', { scheme: 's3' }],
  [
    'stores a file below folders that are not there, and reads the same bytes',
    { get: async (path, ask) => (await webdav.get(path, ask))?.subarray(0, 65_536) },
  ],
  [
    'keeps spaces, signs and other alphabets in names',
    {
      list: async (folder, ask) =>
        (await webdav.list(folder, ask)).map((file) => ({ ...file, name: encodeURIComponent(file.name) })),
    },
  ],
  [
    'replaces a file of the same name',
    {
      put: async (file, ask) => {
        const there = await webdav.get(file.path, ask);
        if (there === undefined) await webdav.put(file, ask);
        else if (!file.path.startsWith('again')) throw new Error('It is there.');
      },
    },
  ],
  [
    'lists the files of a folder with their sizes, and no folders',
    { list: async (folder, ask) => (await webdav.list(folder, ask)).map((file) => ({ ...file, bytes: 0 })) },
  ],
  [
    'has nothing where nothing was stored',
    { get: async (path, ask) => (await webdav.get(path, ask)) ?? Buffer.of() },
  ],
  ['fails where the place refuses', { list: (folder, ask) => webdav.list(folder, ask).catch(() => []) }],
  [
    'shows no file before it is whole',
    {
      put: async ({ path, body }, ask) => {
        await webdav.put({ path, body: Buffer.of() }, ask).catch(() => undefined);
        const { status } = await ask({
          method: 'PUT',
          path: path
            .split('/')
            .map((step) => `/${encodeURIComponent(step)}`)
            .join(''),
          body,
        });
        if (status > 299) throw new Error('refused');
      },
    },
  ],
];
it.each(planted)('has the kit find a planted fault: %s', async (rule, plant) => {
  expect(await broken({ ...webdav, ...plant })).toContain(rule);
});
