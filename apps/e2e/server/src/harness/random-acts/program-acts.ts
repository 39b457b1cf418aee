import { consentTo } from './program.js';
import { microsOf } from './rules.js';
import { textIn, type ActKind } from './stage.js';

/** What programs ask for: all that there is, and areas alone. */
const scopes = [
  'read write',
  'read',
  'buys:write',
  'market:read buys:write',
  'read write ledger:write people:write sellers:write',
];

/** Areas in which a program may change something, by its scopes. */
const areasOf = (scope: string): readonly string[] =>
  scope.split(' ').flatMap((name) => {
    if (name === 'write') return ['buys', 'creatives'];
    return name.endsWith(':write') ? [name.split(':')[0] ?? ''] : [];
  });

/** A person lets a program act for him, with or without a limit of its own. */
const consent: ActKind = {
  name: 'consent',
  weight: 4,
  draw: (stage, random, label) => {
    const people = [...stage.of.world.actors.values()].filter(
      (actor) =>
        actor.program === undefined &&
        stage.orgOf(actor).principals.get(actor.principalId)?.kind === 'person',
    );
    const actor = random.pick(people);
    return {
      ...{ act: 'consent', by: actor.label, as: label, scope: random.pick(scopes) },
      limit: random.pick([1_000, 4_000, 16_000]),
    };
  },
  play: async (stage, act) => {
    const actor = stage.actor(act.by);
    const amount = Number(act['limit']);
    const given = { limit_amount: String(amount), limit_currency: 'USD', limit_per: 'all' };
    const held = await consentTo(stage.of.url, actor.token, textIn(act, 'scope'), given);
    if (held === undefined) return;
    const label = textIn(act, 'as');
    stage.log.push(`consent to ${held.scope}: 200 `);
    const limit = { micros: microsOf(String(amount)), currency: 'USD', above: 'refuse' as const };
    stage.of.world.actors.set(label, {
      ...{ label, org: actor.org, principalId: actor.principalId, token: held.token },
      program: { areas: areasOf(held.scope), limit },
    });
  },
};

export const programActs: readonly ActKind[] = [consent];
