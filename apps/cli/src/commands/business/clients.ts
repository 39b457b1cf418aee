import { Option, type Command } from 'commander';
import { defined, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { pairs, several } from '../../read-options.js';

interface ClientOptions extends TargetOptions {
  readonly name?: string;
  readonly code?: JsonObject;
  readonly seller?: readonly string[];
  readonly anySeller?: boolean;
  readonly status?: string;
}

interface BrandOptions extends TargetOptions {
  readonly client?: string;
  readonly name?: string;
  readonly brandId?: string;
}

/** `clients add`, `show`, `set`: the advertisers that the organization works for. */
export function registerClients(program: Command, deps: CliDeps): void {
  const clients = program.command('clients').description('advertisers that the organization works for');
  const codes = '--code <system=value>';
  const sellers = '--seller <slug>';
  withTarget(clients.command('add'))
    .description('add a client')
    .argument('<name>', 'name, unique in the organization')
    .option(codes, 'its code in another system; may be given several times', pairs)
    .option(sellers, 'a seller that is allowed for it; others are not; may be given several times', several)
    .action(
      atInstance(deps, (at: At<ClientOptions>, name: string) => {
        const { code, seller } = at.options;
        return write(at, '/v1/clients', defined({ name, codes: code, sellers: seller && [...seller] }));
      }),
    );
  withTarget(clients.command('show'))
    .description('show one client')
    .argument('<client>', 'client id')
    .action(atInstance(deps, (at: At, id: string) => showOne(at, `/v1/clients/${encodeURIComponent(id)}`)));
  withTarget(clients.command('set'))
    .description('change a client; an option that is left out changes nothing')
    .argument('<client>', 'client id')
    .option('--name <name>', 'another name')
    .option(codes, 'all of its codes in other systems; may be given several times', pairs)
    .option(sellers, 'a seller that is allowed for it; others are not; may be given several times', several)
    .option('--any-seller', 'allow all sellers')
    .addOption(new Option('--status <status>', 'active or archived').choices(['active', 'archived']))
    .action(
      atInstance(deps, (at: At<ClientOptions>, id: string) => {
        const { name, status, code, seller, anySeller } = at.options;
        const allowed = anySeller === true ? null : seller && [...seller];
        const body = defined({ name, status, codes: code, sellers: allowed });
        return write(at, `/v1/clients/${encodeURIComponent(id)}`, body);
      }),
    );
}

/** `brands add`, `show`, `set`: the brands of clients. */
export function registerBrands(program: Command, deps: CliDeps): void {
  const brands = program
    .command('brands')
    .description('brands of clients; a buy for a brand belongs to its client');
  withTarget(brands.command('add'))
    .description('add a brand to a client; existing buys for the brand are assigned to the client')
    .argument('<domain>', 'domain of the brand')
    .requiredOption('--client <id>', 'id of the client')
    .option('--name <name>', 'its name')
    .option('--brand-id <id>', 'brand_id in requests, if the domain has several brands')
    .action(
      atInstance(deps, (at: At<BrandOptions>, domain: string) => {
        const { client, name, brandId } = at.options;
        return write(at, '/v1/brands', defined({ domain, client_id: client, name, wire_brand_id: brandId }));
      }),
    );
  withTarget(brands.command('show'))
    .description('show one brand')
    .argument('<brand>', 'brand id')
    .action(atInstance(deps, (at: At, id: string) => showOne(at, `/v1/brands/${encodeURIComponent(id)}`)));
  withTarget(brands.command('set'))
    .description('rename a brand')
    .argument('<brand>', 'brand id')
    .requiredOption('--name <name>', 'its name')
    .action(
      atInstance(deps, (at: At<BrandOptions>, id: string) =>
        write(at, `/v1/brands/${encodeURIComponent(id)}`, defined({ name: at.options.name })),
      ),
    );
}

/** Sends a change and prints its result. */
export function write({ instance }: At, path: string, body: JsonObject): Promise<Outcome> {
  return shown(instance.post(path, body), membersOf);
}

export function showOne({ instance }: At, path: string): Promise<Outcome> {
  return shown(instance.get(path), membersOf);
}

/** One member per line; empty members are left out. */
function membersOf(answer: JsonObject): string {
  const shown = Object.entries(answer).filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  const textOf = (value: JsonObject[string]): string =>
    typeof value === 'object' ? JSON.stringify(value) : cell(value);
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`).join('\n');
}
