import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isWholeMatrix } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { callAtEndpoint, coveredEndpoints } from './testkit/task-endpoints.js';
import { requests, versioned } from './testkit/requests.js';
import { openStage, type Stage } from './testkit/stage.js';

const rounds = isWholeMatrix ? 5 : 2;

/** Many changes of the same things at once: they may wait for each other, and never in a circle. */
let stage: Stage;

beforeAll(async () => {
  stage = await openStage('mcp');
});
afterAll(() => stage.close());

/** The sellers' deadlines pass on a busy machine, where twelve requests and all sellers share one process. */
const isLateSeller = ({ code, message }: JsonObject) =>
  code === 'SERVICE_UNAVAILABLE' &&
  typeof message === 'string' &&
  /^The seller \S+ did not answer /.test(message);
const faultsOf = (answer: JsonObject): readonly JsonObject[] =>
  (Array.isArray(answer['errors']) ? answer['errors'] : [])
    .filter(isJsonObject)
    .filter((error) => !isLateSeller(error));

describe('twelve requests at once, each under its own key', () => {
  it.each([
    ['sync_creatives', []],
    ['create_media_buy', []],
    ['activate_signal', []],
    ['provide_performance_feedback', []],
    ['report_usage', []],
    ['sync_accounts', []],
    // One buy is changed by one at a time: the others are told to come again.
    ['update_media_buy', ['CONFLICT']],
  ] as const)('for %s all succeed, or get the reason', async (task, allowed) => {
    for (let round = 0; round < rounds; round += 1) {
      const buy = await stage.freshBuy();
      const args = versioned('3.1', 'adcp', requests[task]?.['3.1']({ ...stage.world, ...buy }) ?? {});
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          callAtEndpoint(coveredEndpoints[at % 3] ?? 'rest', stage.at, task, {
            ...args,
            idempotency_key: randomUUID(),
          }),
        ),
      );
      const faults = answers.flatMap(faultsOf);
      expect(faults.filter(({ code }) => !allowed.some((text) => text === code))).toEqual([]);
      expect(answers.filter((answer) => faultsOf(answer).length === 0).length).toBeGreaterThan(0);
    }
  });

  it('all succeed even if some buy with the creatives of others', async () => {
    const sync = requests['sync_creatives']?.['3.1'](stage.world) ?? {};
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const buys = requests['create_media_buy']?.['3.1'](stage.world) ?? {};
        const [task, args] =
          at % 2 === 0 ? (['sync_creatives', sync] as const) : (['create_media_buy', buys] as const);
        return callAtEndpoint('rest', stage.at, task, {
          ...versioned('3.1', 'adcp', args),
          idempotency_key: randomUUID(),
        });
      }),
    );
    expect(answers.flatMap(faultsOf)).toEqual([]);
  });
});
