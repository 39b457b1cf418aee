/**
 * Runs the randomized suites repeatedly with new seeds: `npm run soak -- ROUNDS` (10 by default). The gate runs them
 * with fixed seeds. Ends at the first failure, and prints the seed that repeats it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

const rounds = Number(process.argv[2] ?? 10);
const driven = "from 'fast-check'|E2E_SEED|STORY_SEED|REPLICA_BUYERS";
const found = execFileSync('grep', ['-rlE', '--include=*.spec.ts', driven, 'libs', 'apps'], {
  encoding: 'utf8',
});
const files = found.split('\n').filter((file) => file.includes('/src/'));
const packageOf = (file) => file.slice(0, file.indexOf('/src/'));
const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];

for (let round = 1; round <= rounds; round += 1) {
  const seed = String(randomInt(1_000_000));
  const seeds = {
    PROPERTY_SEED: seed,
    E2E_SEED: seed,
    STORY_SEED: seed,
    STORY_COUNT: '520',
    FLOOD_KILLS: '50',
    FLOOD_BUYS: '100',
    RELAY_HOSTILE_OF_EACH: '200',
    REPLICA_BUYERS: '4',
  };
  console.log(`Round ${round} of ${rounds}: PROPERTY_SEED=${seed} E2E_SEED=${seed} STORY_SEED=${seed}`);
  for (const folder of new Set(files.map(packageOf))) {
    const own = files.filter((file) => packageOf(file) === folder);
    const args = [...jest, '--config', `${folder}/jest.config.mjs`, '--runTestsByPath', ...own];
    const { status } = spawnSync(process.execPath, args, {
      stdio: 'inherit',
      env: { ...process.env, ...seeds },
    });
    if (status !== 0) process.exit(1);
  }
}
