import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tasks, type Dialect, type Form } from '@switchyard/protocol';
import { PublishedJudge } from '@switchyard/testing';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { coveredEndpoints } from './testkit/task-endpoints.js';
import { requests } from './testkit/requests.js';
import { openStage, type Cell, type Stage } from './testkit/stage.js';

/** Whatever is refused is refused in words of the release that it is refused in: every task, at every endpoint. */
const profiles: readonly { readonly dialect: Dialect; readonly form: Form }[] = [
  { dialect: 'ads', form: 'service' },
  { dialect: 'ads', form: '2.5' },
  { dialect: 'adcp', form: '3.0' },
  { dialect: 'adcp', form: '3.1' },
];

let stage: Stage;
const judge = new PublishedJudge(expect.getState().testPath ?? '');

beforeAll(async () => {
  stage = await openStage('mcp');
});
afterAll(async () => {
  await stage.close();
  judge.close();
});

function refusalFaults(
  { task, endpoint, dialect, form }: Omit<Cell, 'arm'>,
  answer: JsonObject,
): readonly string[] {
  return judge.faultsOf({
    kind: 'refusal',
    where: `${task} ${endpoint} ${dialect} ${form}`,
    task,
    form,
    answer,
  });
}

/** Arguments that no task takes, and what is said of them. */
const refused: readonly {
  readonly name: string;
  readonly args: (dialect: Dialect) => JsonObject;
  readonly who: 'buyer' | 'nobody';
  readonly codes: readonly string[];
  /** What the error says beside its code. */
  readonly says: JsonObject;
}[] = [
  {
    name: 'a credential among the arguments',
    args: () => ({
      context: { trace: 'kept back' },
      ext: { vendor: { api_key: 'sk-not-a-real-one-0123456789' } },
    }),
    who: 'buyer',
    codes: ['CREDENTIAL_IN_ARGS'],
    says: { field: 'ext.vendor.api_key', recovery: 'terminal' },
  },
  {
    name: 'a version that nobody speaks',
    args: (dialect) => ({ [`${dialect}_major_version`]: 9 }),
    who: 'buyer',
    codes: ['VERSION_UNSUPPORTED'],
    says: { recovery: 'correctable', details: { supported_versions: ['3.0', '3.1'] } },
  },
];

/** From 3.1 on who changes something says who it is by signing. */
const asksWho: readonly string[] = ['AUTH_REQUIRED', 'AUTH_MISSING', 'request_signature_required'];

function codeOf(answer: JsonObject): string | undefined {
  const [first]: readonly JsonValue[] = Array.isArray(answer['errors']) ? answer['errors'] : [];
  return isJsonObject(first) && typeof first['code'] === 'string' ? first['code'] : undefined;
}

describe.each(tasks.map(({ name }) => name))('%s', (task) => {
  it.each(profiles)(
    'is refused in the format of $form in $dialect, at every endpoint',
    async ({ dialect, form }) => {
      const seen: unknown[] = [];
      for (const endpoint of coveredEndpoints)
        for (const { name, args, who, codes, says } of refused) {
          const cell: Omit<Cell, 'arm'> = { task, endpoint, dialect, form };
          const answer = await stage.call(cell, args(dialect), who);
          const faults = refusalFaults(cell, answer);
          const code = codeOf(answer);
          if (faults.length > 0 || !codes.includes(code ?? '')) seen.push({ endpoint, name, code, faults });
          expect([endpoint, name, answer['errors']]).toMatchObject([endpoint, name, [says]]);
          // Neither what the credential is nor what stands in the context beside it comes back.
          expect(JSON.stringify(answer)).not.toMatch(/sk-not-a-real-one|kept back/);
        }
      expect(seen).toEqual([]);
    },
  );

  it.each(profiles)(
    'requires authentication in the format of $form in $dialect, unless it is public',
    async (profile) => {
      const isOpen = tasks.some((spec) => spec.name === task && spec.access !== 'credentials');
      const seen: unknown[] = [];
      for (const endpoint of isOpen ? [] : coveredEndpoints) {
        const cell = { task, endpoint, ...profile };
        const answer = await stage.call(cell, {}, 'nobody');
        const faults = refusalFaults(cell, answer);
        const code = codeOf(answer) ?? '';
        // An authentication failure is one object, whatever task it was met at (errors, shape 1).
        const { error } = answer;
        const isShown = isJsonObject(error) && error['code'] === code && typeof error['message'] === 'string';
        if (faults.length > 0 || !asksWho.includes(code) || !isShown)
          seen.push({ endpoint, code, faults, answer });
      }
      expect(seen).toEqual([]);
    },
  );
});

/** What every seller refuses with: one error whole, one whose name is another in each dialect, one without a class. */
const whole: JsonObject = {
  code: 'BUDGET_TOO_LOW',
  message: 'At least 5000.',
  field: 'ext.vendor',
  suggestion: 'Ask for more.',
  recovery: 'correctable',
  retry_after: 7,
  details: { minimum: 5_000 },
};
const denied: JsonObject = { code: 'PERMISSION_DENIED', message: 'Not you.', recovery: 'correctable' };
const strange: JsonObject = { code: 'MOON_IN_THE_WRONG_HOUSE', message: 'No.', recovery: 'terminal' };

/** Tasks that sellers are asked, and what is said of a record where that is what a refusal is about. */
const atSellers: readonly (readonly [task: string, field?: string])[] = [
  ['get_products'],
  ['get_signals'],
  ['list_creative_formats'],
  ['list_authorized_properties'],
  ['get_media_buys'],
  ['get_media_buy_delivery'],
  ['create_media_buy'],
  ['update_media_buy'],
  ['sync_creatives'],
  ['activate_signal'],
  ['provide_performance_feedback'],
  ['report_usage', 'usage[0]'],
];

/** Everything that an answer says was refused by sellers: of changes in `errors`, beside the answers of questions. */
function refusedBy(answer: JsonObject): readonly JsonObject[] {
  const ext = isJsonObject(answer['ext']) ? answer['ext']['switchyard'] : undefined;
  const ours = isJsonObject(ext) && 'seller_errors' in ext ? ext : answer;
  const reported = ours['seller_errors'] ?? answer['errors'];
  return Array.isArray(reported)
    ? reported.filter(isJsonObject).filter(({ code }) => code !== 'STALE_RESPONSE')
    : [];
}

describe.each(atSellers)('%s that sellers refuse', (task, place) => {
  it.each([...profiles, { dialect: 'ads', form: '3.1' } as const])(
    'is answered with each refusal and its seller, in the members of $form in $dialect, at every endpoint',
    async ({ dialect, form }) => {
      const renamed = form === '3.0' || form === '3.1' ? dialect : 'ads';
      const seen: unknown[] = [];
      for (const endpoint of coveredEndpoints) {
        const cell: Cell = { task, endpoint, dialect, form, arm: 'answered' };
        stage.says(task, { errors: [whole, denied, strange] });
        const passage = await stage.run(cell);
        stage.says(task);
        const { received = [], answer = {} } = passage ?? {};
        const sellers = [...new Set(received.map(({ seller }) => seller))].toSorted();
        expect([sellers.length > 0, answer]).toEqual([true, answer]);
        const wanted = sellers.flatMap((seller) =>
          [whole, { ...denied, code: namesOfDenied[renamed] }, strange].map((error) => ({
            ...error,
            ...(place === undefined ? {} : { field: place }),
            details: { ...(isJsonObject(error['details']) ? error['details'] : {}), seller },
          })),
        );
        const reported = refusedBy(answer);
        expect({ endpoint, told: inOrder(reported) }).toEqual({ endpoint, told: inOrder(wanted) });
        const isRefused = answer['status'] === 'failed';
        const faults = isRefused ? refusalFaults(cell, answer) : [];
        if (faults.length > 0) seen.push({ endpoint, faults });
        expect('adcp_error' in answer).toBe(isRefused && renamed === 'adcp');
      }
      expect(seen).toEqual([]);
    },
  );
});

describe('a seller’s refusal of an update', () => {
  const rpc = (method: string, params: JsonObject): JsonObject => ({ jsonrpc: '2.0', id: 1, method, params });
  const post = async (path: string, body: JsonObject) => {
    const answer = await fetch(stage.at.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.at.token}` },
      body: JSON.stringify(body),
    });
    const reportedBy = (await answer.json()) as JsonObject;
    expect(answer.headers.get('www-authenticate')).toBeNull();
    return { status: answer.status, wait: answer.headers.get('retry-after'), said: reportedBy };
  };

  it.each([
    ['BUDGET_TOO_LOW', 422],
    ['PRODUCT_NOT_FOUND', 404],
    ['INVALID_REQUEST', 400],
    ['PERMISSION_DENIED', 403],
    ['MOON_IN_THE_WRONG_HOUSE', 422],
    // Of our own credential there: the caller's holds, and nothing may ask it for another one.
    ['AUTH_REQUIRED', 502],
    ['AUTH_INVALID', 502],
  ])('as %s is shown in the error format of each transport, with its wait', async (code, status) => {
    const error = { code, message: 'No.', recovery: 'correctable', retry_after: 7 };
    stage.says('activate_signal', { errors: [error] });
    const args = (): JsonObject => requests['activate_signal']?.service(stage.world) ?? {};
    const rest = await post('/v1/tasks/activate_signal', args());
    expect([rest.status, rest.wait]).toEqual([status, '7']);
    const mcp = await post('/mcp', rpc('tools/call', { name: 'activate_signal', arguments: args() }));
    expect([mcp.status, mcp.said]).toMatchObject([200, { result: { isError: true } }]);
    const parts = [{ kind: 'data', data: { skill: 'activate_signal', parameters: args() } }];
    const message = { kind: 'message', messageId: 'm', role: 'user', parts };
    const a2a = await post('/a2a', rpc('message/send', { message }));
    expect([a2a.status, a2a.said]).toMatchObject([200, { result: { status: { state: 'failed' } } }]);
    stage.says('activate_signal');
  });
});

const namesOfDenied = { ads: 'INSUFFICIENT_PERMISSIONS', adcp: 'PERMISSION_DENIED' } as const;

function inOrder(errors: readonly JsonObject[]): readonly JsonObject[] {
  const keyOf = ({ code, details }: JsonObject): string =>
    JSON.stringify([isJsonObject(details) ? (details['seller'] ?? '') : '', code ?? '']);
  return errors.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
