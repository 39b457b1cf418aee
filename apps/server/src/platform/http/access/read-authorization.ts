import { err, ok, type Result } from '@switchyard/values';
import { dialects } from '@switchyard/protocol';
import { headerValues } from '../raw-headers.js';

/** Older headers in which MCP callers send a bearer token. Only MCP reads them. */
const mcpAliases = [dialects.ads.bearerAliasHeader, dialects.adcp.bearerAliasHeader];

/** A secret as it was presented. Both schemes are equivalent: they prove the same. */
export type PresentedSecret =
  | { readonly scheme: 'bearer'; readonly token: string }
  | { readonly scheme: 'basic'; readonly username: string; readonly password: string };

/**
 * The secret of a request, if it has one, or what is wrong with its form. An alias may repeat the value of
 * `Authorization`; any other value is refused, since either could be meant.
 */
export function readAuthorization(
  rawHeaders: readonly string[],
  aliases: boolean,
): Result<PresentedSecret | undefined, string> {
  const [value, another] = headerValues(rawHeaders, 'authorization');
  if (another !== undefined) return err('was sent more than once');
  const main = value === undefined ? ok(undefined) : readValue(value);
  if (!main.ok) return main;
  const others = new Set<string>();
  for (const alias of aliases ? mcpAliases.flatMap((name) => headerValues(rawHeaders, name)) : []) {
    const token = /^(?:bearer +)?([\x21-\x7e]+) *$/i.exec(alias)?.[1];
    if (token === undefined) return err('is malformed');
    others.add(token);
  }
  if (others.size === 0) return main;
  const [token = '', contradiction] = others;
  const same = main.value === undefined || (main.value.scheme === 'bearer' && main.value.token === token);
  if (contradiction !== undefined || !same) return err('differs between two headers');
  return ok({ scheme: 'bearer', token });
}

function readValue(value: string): Result<PresentedSecret, string> {
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(value)?.[1];
  if (token !== undefined) return ok({ scheme: 'bearer', token });
  const pair = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(value)?.[1];
  if (pair === undefined) return err('is not of the form: Bearer TOKEN, or Basic with a name and a password');
  const text = Buffer.from(pair, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return err('has no user and no password');
  return ok({ scheme: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) });
}
