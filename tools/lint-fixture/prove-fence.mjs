/**
 * Proves that the module fences work: each line below is put, for one check, into a file of the folder where it is
 * forbidden, and the linter must refuse it by the named rule. The last lines are allowed and must pass, because a fence
 * that refuses everything proves nothing either.
 */
import { ESLint } from 'eslint';
import { floors } from './buys-floors.mjs';
import { mayImport } from './server-modules.mjs';

const boundary = '@nx/enforce-module-boundaries';
const restricted = 'no-restricted-imports';
const syntax = 'no-restricted-syntax';
const properties = 'no-restricted-properties';
const domain = 'libs/domain/money/src/index.ts';
const adapter = 'libs/adapters/egress/src/index.ts';
const sandbox = 'apps/sandbox/src/index.ts';

const modules = Object.keys(mayImport);
/** A file of a capability, which is there, so that its block of rules applies. */
const fileOf = (name) =>
  name === 'platform' ? 'apps/server/src/platform/clock.ts' : `apps/server/src/${name}/index.ts`;
/** Every pair of capabilities: the index of one that may be imported passes, and everything else is refused. */
const pairs = modules.flatMap((name) =>
  modules
    .filter((other) => other !== name && other !== 'platform')
    .map((other) => ({ name, other, may: mayImport[name].includes(other) })),
);

/** A file of a floor of the buys, and an import of the floor above or below it. */
const ofFloors = floors.slice(0, -1).map((name, at) => [name, floors[at + 1]]);
const fileOfFloor = (name) => `libs/domain/buys/src/${name}/any-file.ts`;

const refused = [
  ...ofFloors.map(([name, above]) => [
    fileOfFloor(name),
    `import { it } from '../${above}/some-file.js';`,
    restricted,
  ]),
  [fileOfFloor('run'), "import { it } from '@switchyard/testing';", restricted],
  ...pairs.map(({ name, other }) => [
    fileOf(name),
    `import { it } from '../${other}/some-file.js';`,
    restricted,
  ]),
  ...pairs
    .filter(({ may }) => !may)
    .map(({ name, other }) => [fileOf(name), `import { it } from '../${other}/index.js';`, restricted]),
  ...modules.map((name) => [fileOf(name), "import { it } from '../main/server.js';", restricted]),
  ...modules.map((name) => [fileOf(name), "import { it } from '../platform/testkit/it.js';", restricted]),
  [fileOf('buys'), "import { it } from '../platform/mcp/call-tool.js';", restricted],
  [domain, "import { openStore } from '@switchyard/store';", boundary],
  [domain, "import { createServer } from '@switchyard/server';", boundary],
  [domain, "import { openStore } from '../../../adapters/store/src/index.js';", boundary],
  [domain, "import { Injectable } from '@nestjs/common';", restricted],
  [domain, "import { PrismaClient } from '@prisma/client';", restricted],
  [domain, "import pg from 'pg';", restricted],
  [domain, "import { request } from 'node:http';", restricted],
  [domain, "import { readFileSync } from 'node:fs';", restricted],
  [domain, "import { testClock } from '@switchyard/testing';", restricted],
  [adapter, "import { openStore } from '@switchyard/store';", boundary],
  [adapter, "import { testClock } from '@switchyard/testing';", restricted],
  [sandbox, "import { ok } from '@switchyard/values';", boundary],
  [sandbox, "import { createEntry } from '@switchyard/ledger';", boundary],
  [domain, 'process.env.PATH;', properties],
  [adapter, 'process.env.PATH;', properties],
  [adapter, "generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });", syntax],
  [adapter, "crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });", syntax],
];

const allowed = [
  ...ofFloors.map(([name, above]) => [fileOfFloor(above), `import { it } from '../${name}/some-file.js';`]),
  ...pairs
    .filter(({ may }) => may)
    .map(({ name, other }) => [fileOf(name), `import { it } from '../${other}/index.js';`]),
  [fileOf('buys'), "import { it } from '../platform/failure.js';"],
  [domain, "import { ok } from '@switchyard/values';"],
  [adapter, "import { ok } from '@switchyard/values';"],
  [sandbox, "import { dialects } from '@switchyard/protocol';"],
  [adapter, "generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding });"],
];

const eslint = new ESLint({
  ruleFilter: ({ ruleId }) => [boundary, restricted, syntax, properties].includes(ruleId),
});

async function rulesBroken(file, text) {
  const [result] = await eslint.lintText(`${text}\n`, { filePath: file });
  const fatal = result.messages.find((message) => message.fatal);
  if (fatal) throw new Error(`${file}: ${fatal.message}`);
  return new Set(result.messages.map((message) => message.ruleId));
}

const holes = [];
/** The capabilities that stand above another one, by the table. */
const above = (name, seen = new Set()) => {
  for (const other of mayImport[name]) if (!seen.has(other)) above(other, seen.add(other));
  return seen;
};
for (const name of modules)
  if (above(name).has(name)) holes.push(`the table of ${name} leads back to ${name}`);
for (const [file, text, rule] of refused) {
  if (!(await rulesBroken(file, text)).has(rule)) holes.push(`${file} may say ${text} and ${rule} is silent`);
}
for (const [file, text] of allowed) {
  const broken = await rulesBroken(file, text);
  for (const rule of [boundary, restricted, syntax, properties]) {
    if (broken.has(rule)) holes.push(`${file} may not say ${text}, though it should: ${rule}`);
  }
}
if (holes.length > 0) {
  console.error(`The fence has holes:\n${holes.join('\n')}`);
  process.exit(1);
}
console.log(`The fence holds: ${refused.length} lines refused, ${allowed.length} let through.`);
