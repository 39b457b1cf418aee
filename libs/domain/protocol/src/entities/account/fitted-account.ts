import type { JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { objectAt, objectsAt, without } from '../../message/pick.js';
import { withPlainBrands } from '../brand/plain-brand.js';

const agents = 'governance_agents';

/**
 * The account in a seller's row of a buy, for the other release of 3.x. In 3.1 one agent governs an account in all
 * matters, so one of several agents of 3.0 is not written there.
 */
export function fittedAccount(value: JsonObject, to: Form): JsonObject {
  const account = objectAt(value, 'account');
  if (account === undefined) return value;
  if (to === '3.0') return { ...value, account: withPlainBrands({ account }).account };
  if (to !== '3.1') return value;
  const [only, ...others] = objectsAt(account, agents);
  const rest = without(account, [agents]);
  if (only === undefined || others.length > 0) return { ...value, account: rest };
  return { ...value, account: { ...rest, [agents]: [without(only, ['categories'])] } };
}
