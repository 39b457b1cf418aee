import { describe, expect, it } from '@jest/globals';
import { actionsIn, actionsOf, coarseActions, commonActions } from './buy-actions.js';

const verbs = (list: readonly { readonly action: string }[]) => list.map(({ action }) => action);

describe('the available actions of a buy', () => {
  it('are those that its state allows, and none at an end', () => {
    expect(verbs(actionsIn('active'))).toEqual(expect.arrayContaining(['pause', 'cancel', 'add_packages']));
    expect(verbs(actionsIn('active'))).not.toContain('resume');
    expect(verbs(actionsIn('paused'))).toContain('resume');
    expect(verbs(actionsIn('paused'))).not.toContain('pause');
    for (const end of ['completed', 'rejected', 'canceled'] as const) expect(actionsIn(end)).toEqual([]);
  });

  it('include the finer actions of a seller’s older one, limited to the state', () => {
    const reported = [
      { action: 'update_budget', mode: 'self_serve' as const },
      { action: 'resume', mode: 'self_serve' as const },
    ];
    const odd = ['__proto__', 'constructor', 'toString'].map((action) => ({
      action,
      mode: 'self_serve' as const,
    }));
    expect(actionsOf('active', odd)).toEqual([]);
    expect(verbs(actionsOf('active', reported))).toEqual([
      'increase_budget',
      'decrease_budget',
      'reallocate_budget',
    ]);
    expect(coarseActions(actionsOf('active', reported))).toEqual(['update_budget']);
  });

  it('are none at a seller that declares none, and all at one without a declaration', () => {
    expect(actionsOf('active', [])).toEqual([]);
    expect(actionsOf('active', undefined)).toEqual(actionsIn('active'));
  });

  it('over several sellers are those that all of them allow, in the strictest of their modes', () => {
    const free = [
      { action: 'pause', mode: 'self_serve' as const },
      { action: 'cancel', mode: 'self_serve' as const },
    ];
    const strict = [{ action: 'cancel', mode: 'requires_approval' as const }];
    expect(commonActions([free, strict])).toEqual(strict);
    expect(commonActions([strict, free])).toEqual(strict);
    expect(commonActions([free, []])).toEqual([]);
    expect(commonActions([])).toEqual([]);
  });

  it('include an older action only if all of its finer ones are allowed', () => {
    expect(coarseActions([{ action: 'extend_flight', mode: 'self_serve' }])).toEqual([]);
  });
});
