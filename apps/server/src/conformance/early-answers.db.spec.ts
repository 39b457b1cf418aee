import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { openLater, type LaterStage } from './testkit/later.js';
import { product } from './testkit/product.js';

let stage: LaterStage;
beforeAll(async () => {
  stage = await openLater();
});
afterAll(() => stage.close());

const question = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'coffee',
  brand: { domain: 'roaster.example' },
};
const list = (answer: JsonObject, name: string): readonly JsonObject[] =>
  Array.isArray(answer[name]) ? answer[name].filter(isJsonObject) : [];
const idsIn = (answer: JsonObject) =>
  list(answer, 'products')
    .map(({ product_id: id }) => id)
    .toSorted();

it('is answered early, if asked, without a seller that usually takes long, and has the rest under its operation', async () => {
  for (const [seller, id] of [
    ['mcp30', 'now'],
    ['a2a31', 'native'],
    ['mcp31', 'late'],
  ] as const)
    stage.sellers.says(seller, { products: [product(id)] });
  stage.sellers.takes('mcp31', 2_100);
  const patient = await stage.call('get_products', question);
  expect(idsIn(patient)).toEqual(['a2a31:native', 'mcp30:now', 'mcp31:late']);
  const answer = await stage.call('get_products', { ...question, ext: { switchyard: { early: true } } });
  expect(idsIn(answer)).toEqual(['a2a31:native', 'mcp30:now']);
  expect(list(answer, 'incomplete').map(({ description }) => description)).toEqual([
    'mcp31 will answer later.',
  ]);
  expect(list(answer, 'sellers').find(({ seller }) => seller === 'mcp31')).toMatchObject({ code: 'LATER' });
  stage.sellers.takes('mcp31', 0);
  const operation = { ext: { switchyard: { operation_id: answer['operation_id'] ?? '' } } };
  let whole: readonly unknown[] = [];
  while (whole.length < 3) {
    await stage.due();
    whole = idsIn(await stage.call('get_products', { ...question, ...operation }));
  }
  expect(whole).toEqual(idsIn(patient));
});
