/**
 * What is live: heap and buffers after a collection, in MB. Loaded before a measured server by `--import`, it answers each
 * message of the parent with it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function liveMb() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

if (process.argv.includes('up') && process.send !== undefined) {
  process.on('message', () => process.send(liveMb()));
  // Nobody waits for the parent at the end.
  process.channel.unref();
}
