import { list } from '../buy-request.js';
import type { OpenRequest } from './model.js';
import { NothingToDo, somebodyAt, somebodyWho, textIn, type Act, type ActKind, type Stage } from './stage.js';

/** What waits for an approval in the organization, oldest first: requests of buys, and changes of the controls. */
export async function openIn(stage: Stage, org: string): Promise<readonly OpenRequest[]> {
  const { id, waiting } = stage.org(org);
  const rows = await stage.of.view.rows<OpenRequest>(
    `select a.id::text, a.principal_id::text as by, 'media_buys.approve' as decides, o.media_buy_id as buy
     from internal_approval a left join operation o on o.id = a.operation_id
     where a.organization_id = $1 and a.state = 'open' order by a.requested_at, a.id`,
    [id],
  );
  const known = new Set(rows.map((row) => row.id));
  const others = [...waiting].filter(([approval]) => !known.has(approval));
  return [
    ...rows,
    ...others.map(([approval, { by, decides }]) => ({ id: approval, by, decides, buy: null })),
  ];
}

const decide = (verb: 'approve' | 'deny', weight: number): ActKind => ({
  name: `${verb} request`,
  weight,
  draw: (stage, random) => {
    const orgs = [...stage.of.world.orgs.values()].filter(({ openRequests }) => openRequests.length > 0);
    if (orgs.length === 0) return undefined;
    const org = random.pick(orgs);
    // The place among those that are open when it is played, oldest first.
    const at = random.between(0, org.openRequests.length - 1);
    const decides = org.openRequests[at]?.decides ?? '';
    return { act: `${verb} request`, by: somebodyAt(stage, random, org, [decides, {}]).label, at };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const found = (await openIn(stage, actor.org))[Number(act['at'])];
    if (found === undefined) throw new NothingToDo();
    await decideOn(stage, act, found, verb);
  },
});

async function decideOn(stage: Stage, act: Act, found: OpenRequest, verb: 'approve' | 'deny'): Promise<void> {
  const actor = stage.actor(act.by);
  const org = stage.orgOf(actor);
  const isOne = org.isOnePerson(actor.principalId, found.by);
  const needsOther = org.fourEyes !== 'off';
  stage.isApprovedByOther = verb === 'approve' && !(isOne && needsOther);
  const answer = await stage.request(actor, 'POST', `/v1/approvals/${found.id}/${verb}`, {});
  const waiting = org.waiting.get(found.id);
  if (!answer.isDone) {
    stage.isApprovedByOther = false;
    return;
  }
  stage.mustBeNoProgram(actor, `${verb} a request`);
  if (isOne && needsOther)
    stage.violate('own approval', `${actor.label} could ${verb} what ${found.by} asked for, its own.`);
  else if (verb === 'approve' && answer.body['state'] === 'approved') waiting?.apply();
  if (stage.isApprovedByOther && found.buy !== null) org.approvedBuys.add(found.buy);
  org.waiting.delete(found.id);
}

/** Looks at what waits, as a person who decides does: nothing of others may be in it. */
const listApprovals: ActKind = {
  name: 'list approvals',
  weight: 1,
  draw: (stage, random) => ({
    act: 'list approvals',
    by: somebodyWho(stage, random, 'media_buys.read').label,
  }),
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const answer = await stage.request(actor, 'GET', '/v1/approvals?state=open');
    if (!answer.isDone) return;
    for (const row of list(answer.body['approvals'])) {
      if (row['kind'] !== 'internal') continue;
      const place = {
        ownerId: textOf(row['asked_by']),
        clientId: textOf(row['client_id']),
        brand: textOf(row['brand']),
        campaignId: textOf(row['campaign_id']),
      };
      if (!org.may(actor.principalId, 'media_buys.read', place))
        stage.violate('scope', `${actor.label} saw the request ${textIn(act, 'by')}: ${JSON.stringify(row)}`);
    }
  },
};

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const approvalActs: readonly ActKind[] = [decide('approve', 10), decide('deny', 2), listApprovals];
