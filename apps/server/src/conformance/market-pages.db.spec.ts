import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { openPages, type PagesStage } from './testkit/pages.js';

let stage: PagesStage;

beforeAll(async () => {
  stage = await openPages();
});
afterAll(() => stage.close());

const question = { adcp_version: '3.1', buying_mode: 'brief', brief: 'everything there is' };
const wholesale = { adcp_version: '3.1', buying_mode: 'wholesale' };

const idsOf = (answer: JsonObject): readonly unknown[] =>
  list(answer, 'products').map((product) => product['product_id']);
const list = (answer: JsonObject, name: string): readonly JsonObject[] =>
  Array.isArray(answer[name]) ? answer[name].filter(isJsonObject) : [];
const pageOf = (answer: JsonObject): JsonObject =>
  isJsonObject(answer['pagination']) ? answer['pagination'] : {};
const cursorOf = (answer: JsonObject): string => {
  const { cursor } = pageOf(answer);
  return typeof cursor === 'string' ? cursor : '';
};
const paged = (more: JsonObject, requested: JsonObject = question) => ({ ...requested, pagination: more });
const codeOf = (answer: JsonObject) => list(answer, 'errors').map(({ code, field }) => [code, field]);
const nowhere = [['INVALID_REQUEST', 'pagination.cursor']];

describe('a paged read of a market', () => {
  it('is cut from one stored answer, whatever sellers offer meanwhile, and calls no seller again', async () => {
    stage.offer({ v31: ['a', 'b', 'c'], v30: ['x', 'y'] });
    const whole = idsOf(await stage.call('get_products', question));
    expect(whole).toHaveLength(5);
    const first = await stage.call('get_products', paged({ max_results: 2 }));
    stage.offer({ v31: ['z'], v30: [] });
    const requested = stage.calls();
    const second = await stage.call('get_products', paged({ max_results: 2, cursor: cursorOf(first) }));
    const third = await stage.call('get_products', paged({ max_results: 2, cursor: cursorOf(second) }));
    expect([first, second, third].flatMap(idsOf)).toEqual(whole);
    expect([first, second, third].map(pageOf)).toMatchObject([
      { has_more: true, total_count: 5 },
      { has_more: true, total_count: 5 },
      { has_more: false, total_count: 5 },
    ]);
    expect(cursorOf(third)).toBe('');
    expect(stage.calls()).toBe(requested);
    // A page asked for again is the same page.
    const again = await stage.call('get_products', paged({ max_results: 2, cursor: cursorOf(first) }));
    expect(idsOf(again)).toEqual(idsOf(second));
    expect(idsOf(await stage.call('get_products', question))).toEqual(['v31:z']);
  });

  it('accepts only its own cursor: not that of another principal or query, or another text', async () => {
    stage.offer({ v31: ['a', 'b', 'c'], v30: [] });
    const cursor = cursorOf(await stage.call('get_products', paged({ max_results: 1 })));
    const next = paged({ max_results: 1, cursor });
    expect(codeOf(await stage.callAsOther('get_products', next))).toEqual(nowhere);
    expect(codeOf(await stage.call('get_products', paged({ max_results: 1, cursor }, wholesale)))).toEqual(
      nowhere,
    );
    expect(codeOf(await stage.call('get_signals', { ...signalsRequest, pagination: { cursor } }))).toEqual(
      nowhere,
    );
    expect(idsOf(await stage.call('get_products', next))).toEqual(['v31:b']);
  });

  it('refuses a cursor that was changed in any place', async () => {
    stage.offer({ v31: ['a', 'b', 'c'], v30: [] });
    const cursor = cursorOf(await stage.call('get_products', paged({ max_results: 1 })));
    const place = Buffer.from(cursor, 'base64url').toString('latin1');
    const moved = [
      place.replace(/\.1\./, '.2.'),
      place.replace(/^./, (first) => (first === '0' ? '1' : '0')),
      // One whole letter of the seal: it may end in any two.
      `${place.slice(0, -3)}${place.at(-3) === 'A' ? 'B' : 'A'}${place.slice(-2)}`,
      'nothing of ours',
    ].map((text) => Buffer.from(text, 'latin1').toString('base64url'));
    for (const wrong of moved)
      expect(codeOf(await stage.call('get_products', paged({ max_results: 1, cursor: wrong })))).toEqual(
        nowhere,
      );
  });

  it('ends when the answer has expired', async () => {
    stage.offer({ v31: ['a', 'b'], v30: [] });
    const cursor = cursorOf(await stage.call('get_products', paged({ max_results: 1 })));
    await stage.expireAnswers();
    expect(codeOf(await stage.call('get_products', paged({ max_results: 1, cursor })))).toEqual(nowhere);
  });
});

const signalsRequest = { adcp_version: '3.1', signal_spec: 'coffee drinkers' };

describe('a time budget', () => {
  it('is passed on, less our share, and ends the wait: a late seller is a slow row and named in incomplete', async () => {
    stage.offer({ v31: ['a'], v30: 'never' });
    const time_budget = { interval: 2, unit: 'seconds' };
    const answer = await stage.call('get_products', { ...question, time_budget });
    expect(idsOf(answer)).toEqual(['v31:a']);
    expect(stage.lastArgs('v31')['time_budget']).toEqual({ interval: 1, unit: 'seconds' });
    expect(list(answer, 'incomplete')).toEqual([
      { scope: 'products', description: 'v30 did not answer in time.' },
    ]);
  });

  it('that every seller meets leaves nothing incomplete', async () => {
    stage.offer({ v31: ['a'], v30: ['x'] });
    expect(await stage.call('get_products', question)).not.toHaveProperty('incomplete');
  });
});

describe('a later answer', () => {
  it('is named in incomplete, and the row of its seller reports it', async () => {
    stage.offer({ v31: ['a'], v30: 'later' });
    const answer = await stage.call('get_products', question);
    expect(list(answer, 'incomplete')).toEqual([
      { scope: 'products', description: 'v30 will answer later.' },
    ]);
    expect(list(answer, 'sellers').find(({ seller }) => seller === 'v30')).toMatchObject({
      status: 'answered',
      code: 'SUBMITTED',
      items: 0,
    });
  });

  it('of signals is reported in the terms of signals', async () => {
    stage.offer({ v31: 'later', v30: [] });
    const answer = await stage.call('get_signals', signalsRequest);
    expect(list(answer, 'incomplete').map(({ scope }) => scope)).toEqual(['signals']);
  });
});
