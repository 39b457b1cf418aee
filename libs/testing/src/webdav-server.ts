import { readBody, startServer } from './start-server.js';

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * A server of WebDAV (RFC 4918) with one folder, `/files`, and what is stored below it, by decoded paths. It wants the header
 * `Authorization` as given.
 */
export async function startWebdavServer(authorization: string) {
  const files = new Map<string, Buffer>();
  const folders = new Set(['/files']);
  const asked: string[] = [];
  const pathOf = (url: string): string =>
    decodeURIComponent(new URL(url, 'http://x').pathname).replace(/\/$/, '');

  function propfind(path: string): string {
    const within = [...folders, ...files.keys()].filter((one) => one === path || folderOf(one) === path);
    const responses = within.map((one) => {
      const bytes = files.get(one)?.length;
      const properties =
        bytes === undefined
          ? '<D:resourcetype><D:collection/></D:resourcetype>'
          : `<D:resourcetype/><D:getcontentlength>${bytes}</D:getcontentlength>`;
      const href = escaped(one.split('/').map(encodeURIComponent).join('/'));
      return `<D:response><D:href>${href}</D:href><D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`;
    });
    return `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">${responses.join('')}</D:multistatus>`;
  }

  const methods: Readonly<
    Record<string, (path: string, body: Buffer, to: string) => [number, (Buffer | string | undefined)?]>
  > = {
    PUT: (path, body) => {
      if (!folders.has(folderOf(path))) return [409];
      const status = files.has(path) ? 204 : 201;
      files.set(path, body);
      return [status];
    },
    GET: (path) => (files.has(path) ? [200, files.get(path)] : [404]),
    MKCOL: (path) => {
      if (folders.has(path) || files.has(path)) return [405];
      if (!folders.has(folderOf(path))) return [409];
      folders.add(path);
      return [201];
    },
    MOVE: (path, _, to) => {
      const body = files.get(path);
      if (body === undefined) return [404];
      const status = files.has(to) ? 204 : 201;
      files.delete(path);
      files.set(to, body);
      return [status];
    },
    PROPFIND: (path) => (folders.has(path) || files.has(path) ? [207, propfind(path)] : [404]),
  };

  const server = await startServer(async (request, response) => {
    const body = await readBody(request);
    const { method = 'GET', url = '/', headers } = request;
    const path = pathOf(url);
    asked.push(`${method} ${path}`);
    if (headers.authorization !== authorization) return response.writeHead(401).end();
    const [status, content] = methods[method]?.(
      path,
      body,
      pathOf(String(headers['destination'] ?? '/')),
    ) ?? [405];
    return response.writeHead(status).end(content);
  });
  return { ...server, url: `${server.url}/files`, files, asked };
}
