import { list } from '../buy-request.js';
import { NothingToDo, somebodyWho, textIn, type Act, type ActKind, type Stage } from './stage.js';

interface OpenRequest {
  readonly id: string;
  readonly operation: string | null;
  readonly by: string;
}

/** What waits for an approval in the organization, oldest first: requests of buys, and changes of the controls. */
export async function openIn(stage: Stage, org: string): Promise<readonly OpenRequest[]> {
  const { id, waiting } = stage.org(org);
  const rows = await stage.of.view.rows<OpenRequest>(
    `select id::text, operation_id::text as operation, principal_id::text as by from internal_approval
     where organization_id = $1 and state = 'open' order by requested_at, id`,
    [id],
  );
  const known = new Set(rows.map((row) => row.id));
  const others = [...waiting].filter(([approval]) => !known.has(approval));
  return [...rows, ...others.map(([approval, { by }]) => ({ id: approval, operation: null, by }))];
}

const decide = (verb: 'approve' | 'deny', weight: number): ActKind => ({
  name: `${verb} request`,
  weight,
  draw: (stage, random) => {
    const actor = somebodyWho(stage, random, 'media_buys.approve');
    const open = stage.orgOf(actor).openRequests;
    // The place among those that are open when it is played, oldest first.
    return open === 0
      ? undefined
      : { act: `${verb} request`, by: actor.label, at: random.between(0, open - 1) };
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
