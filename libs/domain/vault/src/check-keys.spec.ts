import { describe, expect, it } from '@jest/globals';
import { memoryKeyManagement } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { makeKeyCheck, verifyKeyCheck, type KeyCheck } from './check-keys.js';
import type { KeyManagement } from './key-management.js';

async function made(keys: KeyManagement): Promise<KeyCheck> {
  return must(await makeKeyCheck(keys));
}

describe('the check value of a database', () => {
  it('is opened only by the keys that it was made with', async () => {
    const keys = memoryKeyManagement();
    const check = await made(keys);
    expect(await verifyKeyCheck(keys, check)).toEqual({ ok: true, value: check });
    expect(await verifyKeyCheck(memoryKeyManagement(), check)).toMatchObject({
      ok: false,
      error: { code: 'unknown_key' },
    });
  });

  it('moves to the current key, so that the one before can be removed', async () => {
    const keys = memoryKeyManagement();
    const check = await made(keys);
    keys.addKey();
    const moved = await verifyKeyCheck(keys, check);
    if (!moved.ok) throw new Error(moved.error.message);
    keys.removeKey(check.keyId);
    expect(await verifyKeyCheck(keys, moved.value)).toEqual(moved);
  });

  it('is refused if its data key is not the original one', async () => {
    const keys = memoryKeyManagement();
    const [check, other] = [await made(keys), await made(keys)];
    expect(await verifyKeyCheck(keys, { ...check, wrapped: other.wrapped })).toMatchObject({
      ok: false,
      error: { code: 'wrong_key' },
    });
  });

  it('does not report other keys while the key service does not answer', async () => {
    const keys = memoryKeyManagement();
    const check = await made(keys);
    keys.failWith('unavailable');
    expect(await verifyKeyCheck(keys, check)).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  });
});
