import type { Fault, Forge } from './fault.js';
import type { Options } from './honest-message.js';

type Json = Readonly<Record<string, unknown>>;

const credentialNames = [
  'Authorization',
  'proxy-authorization',
  'api_key',
  'apiKey',
  'client_secret',
  'x_ads_auth',
  'access_token',
  'refreshToken',
  'password',
  'private_key',
  'Cookie',
  'bearer',
  'credentials',
];

const credential = (place: string, options: (found: Json, forge: Forge) => Options): Fault => ({
  name: `credential in ${place}`,
  code: 'CREDENTIAL_IN_ARGS',
  make: (forge) => forge.honest(options(buried(forge), forge)),
});

const rewritten = (
  name: string,
  code: string,
  rewrite: (body: Json, forge: Forge) => string | Buffer,
): Fault => ({
  name,
  code,
  make: (forge) => forge.honest({ rewrite: (body) => rewrite(body, forge) }),
});

const malformed = 'request_body_malformed';

/** All faults of a body that is correctly signed. */
export const bodyFaults: readonly Fault[] = [
  credential('the arguments', (found) => ({ args: found })),
  credential('context', (found) => ({ args: { context: found } })),
  credential('ext', (found) => ({ args: { ext: found } })),
  credential('_meta', (found, { world: { sellers }, chance }) => ({
    seller: chance.pick([sellers.alpha, sellers.beta]),
    around: { _meta: found },
  })),
  credential('metadata', (found, { world: { sellers } }) => ({
    seller: sellers.gamma,
    around: { metadata: found },
  })),
  rewritten('duplicate keys', malformed, (body, { chance }) => {
    const text = JSON.stringify(body);
    const again = chance.pick(['"jsonrpc":"2.0",', '"method":"tools/list",', '"i\\u0064":2,']);
    return `{${again}${text.slice(1)}`;
  }),
  rewritten('too deep', malformed, (body, { chance }) => {
    const depth = chance.between(70, 400);
    return JSON.stringify(body).replace(/^\{/, `{"deep":${'['.repeat(depth)}${']'.repeat(depth)},`);
  }),
  rewritten('not UTF-8', malformed, (body, { chance }) => {
    const bytes = Buffer.from(JSON.stringify({ ...body, note: '@@' }), 'utf8');
    const bad = chance.pick([
      [0xc3, 0x28],
      [0xff, 0xfe],
      [0xed, 0xa0],
      [0xc0, 0x80],
    ]);
    Buffer.from(bad).copy(bytes, bytes.indexOf('@@'));
    return bytes;
  }),
  rewritten('cut short', malformed, (body, { chance }) =>
    JSON.stringify(body).slice(0, -chance.between(1, 40)),
  ),
  rewritten('batch', 'RELAY_BODY_MALFORMED', (body, { chance }) =>
    JSON.stringify(chance.pick([[body], [body, body], []])),
  ),
  rewritten('notification', 'RELAY_BODY_MALFORMED', ({ id: _none, ...body }) => JSON.stringify(body)),
  rewritten('unknown method', 'RELAY_METHOD_NOT_ALLOWED', (body, { chance }) =>
    JSON.stringify({
      ...body,
      method: chance.pick([
        'tools/list',
        'resources/read',
        'initialize',
        'tasks/cancel',
        'agent/getCard',
        'TOOLS/CALL',
      ]),
    }),
  ),
  {
    name: 'unknown task',
    code: 'RELAY_TASK_UNKNOWN',
    make: ({ honest, chance }) =>
      honest({
        task: chance.pick(['drop_tables', 'get_productss', 'GET_PRODUCTS', '__proto__', 'constructor', '']),
      }),
  },
];

/** Puts a secret inside objects and lists of any depth, beside other members. */
function buried({ chance, secret }: Forge): Json {
  let value: unknown = chance.pick<unknown>([secret(), [secret()], { scheme: 'Bearer', value: secret() }]);
  value = { note: 'n', [chance.pick(credentialNames)]: value };
  for (let depth = chance.between(0, 20); depth > 0; depth -= 1) {
    value =
      chance.between(0, 2) === 0 ? { list: [1, value] } : { [`level_${String(depth)}`]: value, n: null };
  }
  return value as Json;
}
