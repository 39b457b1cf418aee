import { Buffer } from 'node:buffer';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { LeftOut, NamedSeller, Read } from './named-seller.js';

/**
 * Servers of the configuration of an MCP client: `mcpServers`, or `servers` in some editors. Servers over HTTP are read,
 * also those that a local process (`mcp-remote`) only passes on to. A header whose value is a variable of the client is
 * left out: its value is not in the file.
 */
export function readMcpClients(servers: JsonObject): readonly Read[] {
  return Object.entries(servers).map(([name, entry]) => serverOf(name, entry));
}

function serverOf(name: string, entry: JsonValue): Read {
  const at = `/mcpServers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (!isJsonObject(entry)) return { at, code: 'not_readable', why: 'It is no object.' };
  if (entry['type'] === 'sse')
    return {
      at,
      code: 'older_transport',
      why: 'It is reached over HTTP with SSE, a transport that MCP has replaced. Ask for its address of Streamable HTTP.',
    };
  const passedOn = remoteIn(entry);
  const url = passedOn?.url ?? textOf(entry, ['url', 'serverUrl', 'httpUrl']);
  if (url === undefined)
    return typeof entry['command'] === 'string'
      ? {
          at,
          code: 'local_process',
          why: 'It is a program on the machine of the client, and has no address.',
        }
      : { at, code: 'no_address', why: 'It has no url.' };
  const headers = passedOn?.headers ?? headersIn(entry['headers']);
  const credential = credentialIn(at, headers);
  return 'code' in credential ? credential : { at, input: url, name, protocol: 'mcp', ...credential };
}

type Credential = Pick<NamedSeller, 'token' | 'tokenScheme' | 'note'>;

function credentialIn(at: string, headers: readonly (readonly [string, string])[]): Credential | LeftOut {
  const found = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1].trim();
  const others = headers.filter(
    ([name]) => /key|token|secret|auth/i.test(name) && !/^authorization$/i.test(name),
  );
  if (found === undefined && others.length > 0)
    return {
      at,
      code: 'other_credential',
      why: `Its credential goes into the header ${others[0]?.[0].slice(0, 60) ?? ''}: only Authorization can be sent.`,
    };
  if (found === undefined) return {};
  if (/\$\{|^\$[A-Z_]+$|<[^>]+>/.test(found))
    return { note: 'Its token is a variable of the client, and not in the file: give it with sellers add.' };
  const [, scheme = '', value = ''] = /^(\S+)\s+(\S.*)$/s.exec(found) ?? [];
  if (/^bearer$/i.test(scheme)) return { token: value.trim() };
  if (/^basic$/i.test(scheme)) {
    const pair = Buffer.from(value, 'base64').toString('utf8');
    return /^[^:]+:./s.test(pair)
      ? { token: pair, tokenScheme: 'basic' }
      : { at, code: 'other_credential', why: 'Its header Authorization has no name and password in Base64.' };
  }
  return { at, code: 'other_credential', why: 'Its header Authorization is neither Bearer nor Basic.' };
}

function headersIn(value: JsonValue | undefined): readonly (readonly [string, string])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : []));
}

/** The address and headers of `npx mcp-remote URL --header "NAME: VALUE"`. */
function remoteIn({
  command,
  args,
}: JsonObject):
  | { readonly url: string; readonly headers: readonly (readonly [string, string])[] }
  | undefined {
  if (typeof command !== 'string' || !Array.isArray(args)) return undefined;
  const words = args.filter((word) => typeof word === 'string');
  if (!words.some((word) => /^mcp-remote(?:@|$)/.test(word))) return undefined;
  const url = words.find((word) => /^https?:\/\//.test(word));
  if (url === undefined) return undefined;
  const headers = words.flatMap((word, at): readonly (readonly [string, string])[] => {
    if (words[at - 1] !== '--header') return [];
    const [, name, value] = /^([^:]+):\s*(.*)$/s.exec(word) ?? [];
    return name === undefined || value === undefined ? [] : [[name.trim(), value]];
  });
  return { url, headers };
}

function textOf(entry: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = entry[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return undefined;
}
