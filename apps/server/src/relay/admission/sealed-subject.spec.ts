import { describe, expect, it } from '@jest/globals';
import { syncCreatives } from '@switchyard/protocol';
import type { SealedCall } from '@switchyard/relay';
import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import type { RelayDeps } from '../relay-deps.js';
import { sealedSubject } from './sealed-subject.js';

/** A request without a buy causes no lookup. */
const nothing = {} as unknown as RelayDeps;
const call = (args: JsonObject): SealedCall => ({
  rpcId: 1,
  method: 'tools/call',
  spec: syncCreatives,
  taskName: 'sync_creatives',
  args,
  argsPointer: '/params/arguments',
});
const judged = async (args: JsonObject): Promise<unknown> => {
  const reported = await sealedSubject(nothing, {
    scope: { organizationId: 'o' },
    principalId: 'p',
    connection: {} as Connection,
    call: call(args),
  });
  return reported.ok ? 'passes' : reported.error;
};

describe('a sealed sync of creatives', () => {
  it('is refused if it deletes creatives that it does not name, because signed bytes cannot be changed', async () => {
    expect(await judged({ creatives: [], delete_missing: true })).toBe('RELAY_DELETES_THE_REST');
    expect(await judged({ creatives: [], delete_missing: true, dry_run: false })).toBe(
      'RELAY_DELETES_THE_REST',
    );
  });

  it('is forwarded if it deletes nothing', async () => {
    expect(await judged({ creatives: [] })).toBe('passes');
    expect(await judged({ creatives: [], delete_missing: false })).toBe('passes');
    expect(await judged({ creatives: [], delete_missing: true, dry_run: true })).toBe('passes');
  });
});
