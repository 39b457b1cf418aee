import { heldIn, judgeJoin, principalNamed, scopeText } from './people-acts.js';
import { somebodyWho, textIn, type ActKind } from './stage.js';
import { drawRole, roleNames } from './world.js';

const makeAgent: ActKind = {
  name: 'make agent',
  weight: 2,
  draw: (stage, random, label) => {
    const actor = somebodyWho(stage, random, 'principals.write');
    const org = stage.orgOf(actor);
    const role = drawRole(org, random.pick(roleNames), random);
    return {
      ...{ act: 'make agent', by: actor.label, as: label },
      ...{ role: role.role, scope: org.labelIn(scopeText(role)) },
    };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const [label, held] = [textIn(act, 'as'), heldIn(org, act)];
    const answer = await stage.request(actor, 'POST', '/v1/principals', {
      ...{ name: label, kind: 'service', transitional: true },
      grants: [{ role: held.role, scope: scopeText(held) }],
    });
    if (!answer.isDone || answer.status === 202) return;
    stage.mustBeNoProgram(actor, act.act);
    stage.mustHave(actor, 'principals.write', {}, act.act);
    const id = String(answer.body['principal_id']);
    const holders = new Set([actor.principalId]);
    org.labels.set(label, id);
    org.principals.set(id, { id, name: label, kind: 'agent', roles: new Map(), holders });
    const made = org.principals.get(id);
    judgeJoin(stage, act, answer, () => void made?.roles.set(label, held));
    const token = String(answer.body['token']);
    stage.of.world.actors.set(label, { label, org: org.name, principalId: id, token });
  },
};

/** A second credential of a colleague, in the hands of whoever has it made. */
const takeToken: ActKind = {
  name: 'take token',
  weight: 2,
  draw: (stage, random, label) => {
    const actor = somebodyWho(stage, random, 'principals.write');
    const of = random.pick([...stage.orgOf(actor).principals.values()]);
    return { act: 'take token', by: actor.label, as: label, of: of.name };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const of = principalNamed(org, textIn(act, 'of'));
    const answer = await stage.request(actor, 'POST', `/v1/principals/${of.name}/tokens`, {});
    if (!answer.isDone || answer.status === 202) return;
    stage.mustBeNoProgram(actor, act.act);
    if (of.id !== actor.principalId) {
      stage.mustHave(actor, 'principals.write', {}, act.act);
      of.holders.add(actor.principalId);
    }
    const label = textIn(act, 'as');
    const token = String(answer.body['token']);
    stage.of.world.actors.set(label, { label, org: org.name, principalId: of.id, token });
  },
};

export const agentActs: readonly ActKind[] = [makeAgent, takeToken];
