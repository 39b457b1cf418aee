import { expect, it } from '@jest/globals';
import { oldNode } from './old-node.js';

it.each([
  ['20.19.5', true],
  ['21.7.3', true],
  ['22.0.0', false],
  ['24.21.0', false],
])('Node %s is warned of: %s', (version, isOld) => {
  expect(oldNode(version) !== undefined).toBe(isOld);
});
