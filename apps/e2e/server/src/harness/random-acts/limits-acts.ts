import type { SeededRandom } from '@switchyard/testing';
import type { OrgModel } from './model.js';
import { microsOf, type Limit } from './rules.js';
import {
  NothingToDo,
  somebodyWho,
  textIn,
  type Act,
  type ActKind,
  type Answered,
  type Stage,
} from './stage.js';
import { sellers } from './world.js';

const keyOf = (org: OrgModel, act: Act): string =>
  `${org.idIn(textIn(act, 'for'))} ${textIn(act, 'per')}`.trim();

/** What a limit can be for, as the route takes it. */
function drawFor(org: OrgModel, random: SeededRandom): string {
  const brand = random.pick([...org.clientOfBrand.keys(), 'free0.example', 'free1.example']);
  return random.pick([
    'organization',
    'each-buy',
    'new-brand',
    `principal:${random.pick([...org.principals.keys()])}`,
    `client:${random.pick([...org.clientOfBrand.values()])}`,
    `brand:${brand}`,
    `campaign:${random.pick([...org.campaigns.keys()])}`,
    `campaign:${random.pick([...org.campaigns.keys()])}`,
    `seller:${random.pick(sellers)}`,
  ]);
}

const setLimit: ActKind = {
  name: 'set limit',
  weight: 10,
  draw: (stage, random) => {
    const actor = somebodyWho(stage, random, 'ledger.write');
    const org = stage.orgOf(actor);
    const of = org.labelIn(drawFor(org, random));
    const hasPeriod = of !== 'each-buy' && of !== 'new-brand' && random.next() < 0.2;
    return {
      ...{ act: 'set limit', by: actor.label, for: of, per: hasPeriod ? 'month' : '' },
      // Of everything not so little that nothing can be bought any more.
      amount: random.pick(of === 'organization' ? [32, 64, 128] : [4, 8, 16, 32, 64, 128]) * 1_000,
      currency: random.next() < 0.15 ? 'EUR' : 'USD',
      above: random.pick(['ask', 'ask', 'refuse']),
    };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const of = org.idIn(textIn(act, 'for'));
    const { amount, currency, above, per } = act;
    const answer = await stage.request(actor, 'POST', '/v1/limits', {
      ...{ for: of, above },
      ...(of === 'new-brand' ? {} : { amount: String(amount), currency }),
      ...(per === '' ? {} : { per }),
    });
    const wanted: Limit = {
      micros: of === 'new-brand' ? 0n : microsOf(String(amount)),
      currency: String(of === 'new-brand' ? 'USD' : currency),
      above: above === 'ask' ? 'ask' : 'refuse',
    };
    const { limit_id: id } = answer.body;
    if (answer.status === 200 && typeof id === 'string') org.ids.set(`limit ${keyOf(org, act)}`, id);
    judgeChange(stage, act, answer, wanted);
  },
};

const removeLimit: ActKind = {
  name: 'remove limit',
  weight: 3,
  draw: (stage, random) => {
    const actor = somebodyWho(stage, random, 'ledger.write');
    const org = stage.orgOf(actor);
    if (org.limits.size === 0) return undefined;
    const [of = '', per = ''] = random.pick([...org.limits.keys()]).split(' ');
    return { act: 'remove limit', by: actor.label, for: org.labelIn(of), per };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const id = org.ids.get(`limit ${keyOf(org, act)}`);
    if (id === undefined) throw new NothingToDo();
    judgeChange(stage, act, await stage.request(actor, 'DELETE', `/v1/limits/${id}`), undefined);
  },
};

/** A limit counts as raised only when another person has approved it, or where there is no other. */
function judgeChange(stage: Stage, act: Act, answer: Answered, wanted: Limit | undefined): void {
  if (!answer.isDone) return;
  const actor = stage.actor(act.by);
  const org = stage.orgOf(actor);
  const key = keyOf(org, act);
  stage.mustBeNoProgram(actor, act.act);
  if (!org.hasAnywhere(actor.principalId, 'ledger.write'))
    stage.violate('scope', `${actor.label} did ${act.act} without ledger.write.`);
  const apply = (): void => org.setLimit(key, wanted);
  if (answer.status === 202) {
    org.waiting.set(String(answer.body['approval_id']), {
      by: actor.principalId,
      decides: 'ledger.approve',
      apply,
    });
    return;
  }
  if (org.mayLimitAtOnce(actor.principalId, key, wanted)) apply();
  else stage.violate('limit raised alone', `${actor.label} did ${act.act} on ${key} alone.`);
}

const setRate: ActKind = {
  name: 'set rate',
  weight: 2,
  draw: (stage, random) => ({
    ...{ act: 'set rate', by: somebodyWho(stage, random, 'ledger.write').label },
    rate: random.pick(['0.85', '0.9', '0.01', '1.2']),
  }),
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const org = stage.orgOf(actor);
    const rate = textIn(act, 'rate');
    const date = new Date().toISOString().slice(0, 10);
    const answer = await stage.request(actor, 'POST', '/v1/rates', {
      ...{ from: 'USD', to: 'EUR', rate, date, source: 'a random act', as_written: true },
    });
    if (!answer.isDone) return;
    stage.mustHave(actor, 'ledger.write', {}, act.act);
    const apply = (): void => void org.rates.set('USD EUR', rate);
    if (answer.status === 202)
      org.waiting.set(String(answer.body['approval_id']), {
        by: actor.principalId,
        decides: 'ledger.approve',
        apply,
      });
    else if (org.mayRateAtOnce(actor.principalId, ['USD', 'EUR'], rate)) apply();
    else stage.violate('limit raised alone', `${actor.label} entered the rate ${rate} alone.`);
  },
};

export const limitActs: readonly ActKind[] = [setLimit, removeLimit, setRate];
