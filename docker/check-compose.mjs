/**
 * Checks compose.yml as far as that goes without an engine: it is YAML, every variable that it asks for stands in
 * .env.example and the other way round, the product's settings exist, only the proxy is trusted and published.
 *
 *   node docker/check-compose.mjs
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { settingsTable } from '../apps/server/dist/main/settings/settings.js';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const text = read('compose.yml');
const { services } = parse(text, { merge: true });
const problems = [];

const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
const offered = new Set([...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name));
for (const name of asked) if (!offered.has(name)) problems.push(`${name} is not in .env.example.`);
for (const name of offered) if (!asked.has(name)) problems.push(`${name} of .env.example is used nowhere.`);

const ours = Object.entries(services).filter(
  ([, service]) => service.environment?.DATABASE_URL !== undefined,
);
if (ours.length < 5) problems.push('There are fewer than five processes of the product.');
for (const [name, { environment, read_only: isReadOnly, ports }] of ours) {
  for (const setting of Object.keys(environment))
    if (!(setting in settingsTable) && !setting.startsWith('AWS_'))
      problems.push(`${name}: ${setting} is no setting.`);
  if (isReadOnly !== true) problems.push(`${name} has a root that can be written.`);
  if (ports !== undefined) problems.push(`${name} publishes a port.`);
  if (environment.SWITCHYARD_TRUSTED_PROXIES !== services.proxy.networks.default.ipv4_address)
    problems.push(`${name} trusts another address than the proxy's.`);
}
for (const { image } of Object.values(services))
  if (image !== undefined && image !== 'switchyard-demo' && !/^\$\{\w+_IMAGE:-/.test(image))
    problems.push(`${image} cannot be pinned by its digest.`);
for (const problem of problems) console.error(problem);
console.log(`compose.yml: ${Object.keys(services).length} services, ${problems.length} problems.`);
process.exit(problems.length === 0 ? 0 : 1);
