import { business } from '../business/business.module.js';
import { buys } from '../buys/buys.module.js';
import { creatives } from '../creatives/creatives.module.js';
import { finance, type FinancePorts } from '../finance/finance.module.js';
import { keys } from '../keys/keys.module.js';
import { ledger } from '../ledger/ledger.module.js';
import { notices } from '../notices/notices.module.js';
import { people } from '../people/people.module.js';
import { platform } from '../platform/platform.module.js';
import { relay } from '../relay/relay.module.js';
import { sellers } from '../sellers/sellers.module.js';
import { webhooks } from '../webhooks/webhooks.module.js';
import type { Capability, DepsOf } from '../platform/routes/controller-of.js';
import type { AnyRoute, CheckedRequest, Route, RouteAnswer } from '../platform/routes/route.js';

/** Capabilities whose rows take what `makeRowDeps` gives. */
const withRowDeps = [
  business,
  buys,
  creatives,
  keys,
  ledger,
  notices,
  people,
  platform,
  relay,
  sellers,
  webhooks,
] as const;

type Needs<Item> = Item extends Capability<infer Deps> ? (deps: Deps) => void : never;

/** What the rows of capabilities need: the intersection of what each noun names. */
export type AdminDeps = FinancePorts &
  (Needs<(typeof withRowDeps)[number]> extends (deps: infer Deps) => void ? Deps : never);

/** Every capability with routes. */
export const capabilities: readonly { readonly name: string; readonly routes: readonly AnyRoute[] }[] = [
  ...withRowDeps,
  finance,
];

/** Every admin route: served, described in `/openapi.json`, and walked through by the specs. */
export const adminRoutes: readonly AnyRoute[] = capabilities.flatMap(
  ({ routes }): readonly AnyRoute[] => routes,
);

/** Answers a request whose form and permission were checked, without the stage of HTTP. */
export function runRow(
  deps: AdminDeps,
  ofFinance: DepsOf<typeof finance>,
  id: string,
  request: CheckedRequest,
): Promise<RouteAnswer> {
  const rows = withRowDeps.flatMap(({ routes }): readonly Route<AdminDeps>[] => routes);
  const run =
    rows.find((one) => one.id === id)?.handle(deps, request) ??
    finance.routes.find((one) => one.id === id)?.handle(ofFinance, request);
  if (run === undefined) throw new Error(`There is no route ${id}.`);
  return run;
}

/** Answers a route that reads, for a caller whose permission was checked; undefined where it is refused. */
export async function readRoute(
  deps: AdminDeps,
  ofFinance: DepsOf<typeof finance>,
  id: string,
  { caller, query = {}, params = {} }: Parameters<AdminDeps['readRoute']>[1],
): Promise<unknown> {
  const row = adminRoutes.find((one) => one.id === id && one.method === 'get');
  if (row === undefined) throw new Error(`There is no route ${id} that reads.`);
  const request = { caller, params, query: row.query?.parse(query), body: undefined };
  const answer = await runRow(deps, ofFinance, id, request);
  return answer.ok ? answer.value : undefined;
}
