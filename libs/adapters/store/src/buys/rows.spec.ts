import { expect, it } from '@jest/globals';
import { releaseNames } from '@switchyard/protocol';
import { operationOf } from './rows.js';

it('reads an operation in the release that its buyer speaks, so that later answers and webhooks are in it', () => {
  const row = { dialect: 'adcp', form: '3.1', version: '3.1' };
  expect(operationOf(row).profile).toEqual({ dialect: 'adcp', form: '3.1' });
  for (const release of releaseNames)
    expect(operationOf({ ...row, version: release }).profile).toEqual({
      dialect: 'adcp',
      form: '3.1',
      release,
    });
});
