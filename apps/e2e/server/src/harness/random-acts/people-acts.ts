import type { OrgModel } from './model.js';
import { rolesAtFirst, type FourEyes, type HeldRole } from './rules.js';
import {
  NothingToDo,
  somebodyWho,
  textIn,
  type Act,
  type ActKind,
  type Answered,
  type Stage,
} from './stage.js';
import { drawRole, roleNames } from './world.js';

export const scopeText = ({ scope, id }: HeldRole): string => (id === '' ? scope : `${scope}:${id}`);

export function heldIn(org: OrgModel, act: Act): HeldRole {
  const [scope = 'own', ...rest] = org.idIn(textIn(act, 'scope')).split(':');
  return { role: textIn(act, 'role'), scope: scope as HeldRole['scope'], id: rest.join(':') };
}

/**
 * A change of who may do what. It counts at once where it joins limits and buys in no hand that had not both; otherwise
 * another person must approve it.
 */
export function judgeJoin(stage: Stage, act: Act, answer: Answered, apply: () => void): void {
  const actor = stage.actor(act.by);
  const org = stage.orgOf(actor);
  if (answer.status === 202) {
    org.waiting.set(String(answer.body['approval_id']), {
      by: actor.principalId,
      decides: 'principals.write',
      apply,
    });
    return;
  }
  const [before, isFree] = [org.joined(), org.needsNobody(actor.principalId, 'principals.write')];
  apply();
  if (!isFree && [...org.joined()].some((pair) => !before.has(pair)))
    stage.violate('limits and buys joined alone', `${actor.label} did ${act.act} alone.`);
}

const grantRole: ActKind = {
  name: 'grant role',
  weight: 4,
  draw: (stage, random, label) => {
    const actor = somebodyWho(stage, random, 'principals.write');
    const org = stage.orgOf(actor);
    const role = drawRole(org, random.pick(roleNames), random);
    const to = random.pick([...org.principals.values()]);
    return {
      ...{ act: 'grant role', by: actor.label, as: label, to: to.name },
      ...{ role: role.role, scope: org.labelIn(scopeText(role)) },
    };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const to = principalNamed(org, textIn(act, 'to'));
    const [label, held] = [textIn(act, 'as'), heldIn(org, act)];
    const answer = await stage.request(actor, 'POST', '/v1/grants', {
      ...{ principal: to.name, role: held.role, scope: scopeText(held) },
    });
    if (!answer.isDone) return;
    stage.mustBeNoProgram(actor, act.act);
    stage.mustHave(actor, 'principals.write', {}, act.act);
    for (const permission of org.roles.get(held.role) ?? [])
      if (!org.may(actor.principalId, permission, placeOfScope(org, held)))
        stage.violate(
          'scope',
          `${actor.label} granted ${permission} in ${scopeText(held)} without having it.`,
        );
    const id = answer.body['grant_id'];
    if (typeof id === 'string') org.ids.set(`grant ${label}`, id);
    judgeJoin(stage, act, answer, () => void to.roles.set(label, held));
  },
};

const removeGrant: ActKind = {
  name: 'remove grant',
  weight: 3,
  draw: (stage, random) => {
    const actor = somebodyWho(stage, random, 'principals.delete');
    const known = [...stage.orgOf(actor).ids.keys()].filter((key) => key.startsWith('grant '));
    if (known.length === 0) return undefined;
    return { act: 'remove grant', by: actor.label, grant: random.pick(known).slice('grant '.length) };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const label = textIn(act, 'grant');
    const id = org.ids.get(`grant ${label}`);
    if (id === undefined) throw new NothingToDo();
    const answer = await stage.request(actor, 'DELETE', `/v1/grants/${id}`);
    if (!answer.isDone || answer.status === 202) return;
    stage.mustBeNoProgram(actor, act.act);
    stage.mustHave(actor, 'principals.delete', {}, act.act);
    org.ids.delete(`grant ${label}`);
    for (const { roles } of org.principals.values()) roles.delete(label);
  },
};

/** Roles that acts edit; the others stay, so that most people can go on. */
const edited = ['viewer', 'reviewer', 'desk'];

const editRole: ActKind = {
  name: 'edit role',
  weight: 2,
  draw: (stage, random) => ({
    ...{ act: 'edit role', by: somebodyWho(stage, random, 'principals.write').label },
    ...{
      role: random.pick(edited),
      like: random.pick(roleNames),
      adds: random.pick(['', '', 'ledger.write']),
    },
  }),
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const role = textIn(act, 'role');
    const adds = textIn(act, 'adds');
    const wanted = [
      ...new Set([...(rolesAtFirst[textIn(act, 'like')] ?? []), ...(adds === '' ? [] : [adds])]),
    ];
    const permissions: Record<string, string[]> = {};
    for (const [area = '', kind = ''] of wanted.map((permission) => permission.split('.')))
      (permissions[area] ??= []).push(kind);
    const answer = await stage.request(actor, 'POST', `/v1/roles/${role}`, { permissions });
    if (!answer.isDone) return;
    stage.mustBeNoProgram(actor, act.act);
    stage.mustHave(actor, 'principals.write', {}, act.act);
    judgeJoin(stage, act, answer, () => void org.roles.set(role, wanted));
  },
};

const switchFourEyes: ActKind = {
  name: 'switch four eyes',
  weight: 2,
  draw: (stage, random) => ({
    ...{ act: 'switch four eyes', by: somebodyWho(stage, random, 'principals.write').label },
    to: random.pick(['known', 'strict', 'off']),
  }),
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const wanted = textIn(act, 'to') as FourEyes;
    const answer = await stage.request(actor, 'POST', '/v1/organizations/own', { four_eyes: wanted });
    if (!answer.isDone) return;
    stage.mustBeNoProgram(actor, act.act);
    stage.mustHave(actor, 'principals.write', {}, act.act);
    const apply = (): void => void (org.fourEyes = wanted);
    if (answer.status === 202)
      org.waiting.set(String(answer.body['approval_id']), {
        by: actor.principalId,
        decides: 'principals.write',
        apply,
      });
    else if (org.maySwitchAtOnce(actor.principalId, wanted)) apply();
    else {
      stage.violate('four eyes loosened alone', `${actor.label} set four eyes to ${wanted} alone.`);
      apply();
    }
  },
};

export function principalNamed(org: OrgModel, name: string) {
  const found = [...org.principals.values()].find((principal) => principal.name === name);
  if (found === undefined) throw new NothingToDo();
  return found;
}

function placeOfScope(org: OrgModel, { scope, id }: HeldRole) {
  if (scope === 'client') return { clientId: id };
  if (scope === 'brand') return { brand: id };
  if (scope !== 'campaign') return {};
  const campaign = org.campaigns.get(id);
  return { campaignId: id, brand: campaign?.brand, clientId: campaign?.clientId };
}

export const peopleActs: readonly ActKind[] = [grantRole, removeGrant, editRole, switchFourEyes];
