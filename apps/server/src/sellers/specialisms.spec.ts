import { describe, expect, it } from '@jest/globals';
import { projectCapabilities, taskTable, tasks } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import { handlerOf } from '../main/handler-table.js';
import { canPropose, canRefine, passedOn, portfolioOf, specialismsOf } from './get-capabilities.js';

const declaring = (original: JsonObject): Connection =>
  ({ state: 'live', capabilities: { original } }) as unknown as Connection;

describe('our declared specialisms', () => {
  it('have only implemented tasks, each with a handler', () => {
    for (const rows of Object.values(passedOn)) {
      for (const row of rows) expect(handlerOf(taskTable[row].name)).toBeInstanceOf(Function);
    }
    for (const spec of tasks) expect(handlerOf(spec.name)).toBeInstanceOf(Function);
  });

  it('are those of live sellers that we support, each once', () => {
    const live = [
      declaring({ specialisms: ['sales-non-guaranteed', 'brand-rights', 7] }),
      declaring({ specialisms: ['signal-marketplace', 'sales-non-guaranteed'] }),
      declaring({ specialisms: 'sales-guaranteed' }),
      declaring({}),
    ];
    expect(specialismsOf(live)).toEqual(['sales-non-guaranteed', 'signal-marketplace']);
    expect(specialismsOf([])).toEqual([]);
  });

  it('include refinements and proposals only in 3.1, if a live seller declares them', () => {
    const bare = [declaring({}), declaring({ media_buy: { supports_proposals: false } })];
    const sells = declaring({ media_buy: { supports_proposals: true, buying_modes: ['brief', 'refine'] } });
    expect([canRefine(bare), canPropose(bare)]).toEqual([false, false]);
    expect([canRefine([...bare, sells]), canPropose([...bare, sells])]).toEqual([true, true]);
    const own = { protocols: ['media_buy' as const], refines: true, supportsProposals: true };
    const reported = (form: '3.0' | '3.1') =>
      projectCapabilities(own, { dialect: 'adcp', form })['media_buy'];
    expect(reported('3.1')).toMatchObject({
      buying_modes: ['brief', 'wholesale', 'refine'],
      supports_proposals: true,
    });
    for (const member of ['buying_modes', 'supports_proposals'])
      expect(reported('3.0')).not.toHaveProperty(member);
  });

  it('and their supply are absent from the document without a seller', () => {
    const live = [declaring({ media_buy: { portfolio: { primary_channels: ['ctv', 'display', 'ctv'] } } })];
    expect(portfolioOf(live, 'primary_channels')).toEqual(['ctv', 'display']);
    expect(portfolioOf(live, 'primary_countries')).toEqual([]);
    const nothing = { protocols: ['media_buy' as const], specialisms: specialismsOf([]) };
    const document = projectCapabilities(nothing, { dialect: 'adcp', form: '3.1' });
    expect(document).not.toHaveProperty('specialisms');
    expect(document).not.toHaveProperty('compliance_testing');
    expect(document['media_buy']).not.toHaveProperty('portfolio');
  });
});
