import { business } from '../business/business.module.js';
import { buys } from '../buys/buys.module.js';
import { creatives } from '../creatives/creatives.module.js';
import { finance } from '../finance/finance.module.js';
import { keys } from '../keys/keys.module.js';
import { ledger } from '../ledger/ledger.module.js';
import { notices } from '../notices/notices.module.js';
import { people } from '../people/people.module.js';
import { platform } from '../platform/platform.module.js';
import { relay } from '../relay/relay.module.js';
import { sellers } from '../sellers/sellers.module.js';
import { webhooks } from '../webhooks/webhooks.module.js';
import type { DepsOf } from '../platform/routes/controller-of.js';
import type { AnyRoute, CheckedRequest, RouteAnswer } from '../platform/routes/route.js';

/** Every capability with routes. */
export const capabilities: readonly { readonly name: string; readonly routes: readonly AnyRoute[] }[] = [
  ...[business, buys, creatives, keys, ledger, notices, people, platform, relay, sellers, webhooks],
  finance,
];

/** Every admin route: served, described in `/openapi.json`, and walked through by the specs. */
export const adminRoutes: readonly AnyRoute[] = capabilities.flatMap(
  ({ routes }): readonly AnyRoute[] => routes,
);

/** What the rows of each capability need. */
export interface RowDeps {
  readonly business: DepsOf<typeof business>;
  readonly buys: DepsOf<typeof buys>;
  readonly creatives: DepsOf<typeof creatives>;
  readonly finance: DepsOf<typeof finance>;
  readonly keys: DepsOf<typeof keys>;
  readonly ledger: DepsOf<typeof ledger>;
  readonly notices: DepsOf<typeof notices>;
  readonly people: DepsOf<typeof people>;
  readonly platform: DepsOf<typeof platform>;
  readonly relay: DepsOf<typeof relay>;
  readonly sellers: DepsOf<typeof sellers>;
  readonly webhooks: DepsOf<typeof webhooks>;
}

/** Answers a request whose form and permission were checked, without the stage of HTTP. */
export function runRow(deps: RowDeps, id: string, request: CheckedRequest): Promise<RouteAnswer> {
  const run =
    business.answer(deps.business, id, request) ??
    buys.answer(deps.buys, id, request) ??
    creatives.answer(deps.creatives, id, request) ??
    finance.answer(deps.finance, id, request) ??
    keys.answer(deps.keys, id, request) ??
    ledger.answer(deps.ledger, id, request) ??
    notices.answer(deps.notices, id, request) ??
    people.answer(deps.people, id, request) ??
    platform.answer(deps.platform, id, request) ??
    relay.answer(deps.relay, id, request) ??
    sellers.answer(deps.sellers, id, request) ??
    webhooks.answer(deps.webhooks, id, request);
  if (run === undefined) throw new Error(`There is no route ${id}.`);
  return run;
}

/** Answers a route that reads, for a caller whose permission was checked; undefined where it is refused. */
export async function readRoute(
  deps: RowDeps,
  id: string,
  { caller, query = {}, params = {} }: Parameters<RowDeps['platform']['readRoute']>[1],
): Promise<unknown> {
  const row = adminRoutes.find((one) => one.id === id && one.method === 'get');
  if (row === undefined) throw new Error(`There is no route ${id} that reads.`);
  const answer = await runRow(deps, id, { caller, params, query: row.query?.parse(query), body: undefined });
  return answer.ok ? answer.value : undefined;
}
