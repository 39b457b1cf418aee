import type { ConnectionDirectory, SellerFile } from '@switchyard/sellers';
import { defined, err, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import { routesOn } from '../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { fileImport, itemsOf } from './import-file.js';
import { readSellerFile, withSlugs, type GivenFile, type SluggedSeller } from './read-seller-file.js';

export interface ImportFileDeps {
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly jobStarter: JobStarter;
  readonly clock: Clock;
}

const mostCharacters = 1_000_000;

const file = z
  .strictObject({
    text: z.string().min(1).max(mostCharacters).exactOptional(),
    base64: z.base64().min(1).max(mostCharacters).exactOptional().describe('The bytes of a workbook (XLSX).'),
  })
  .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), {
    error: 'must have either text or base64',
  })
  .describe(
    'A table (CSV, XLSX), the configuration of an MCP client (mcpServers), an adagents.json, a sellers.json or an ads.txt.',
  );

const preview = z.strictObject({
  format: z.enum(['table', 'mcp', 'adagents', 'sellers_json', 'ads_txt']),
  sellers: z.array(
    z.strictObject({
      at: z.string().describe('Where in the file.'),
      slug: z.string(),
      input: z.string().describe('What is given to `sellers add`: the address of an agent, or a domain.'),
      name: z.string().exactOptional(),
      protocol: z.enum(['mcp', 'a2a']).exactOptional().describe('Absent: both are tried.'),
      has_credential: z.boolean().describe('Whether the file has a credential for it, which is never shown.'),
      account: z.string().exactOptional(),
      is_known: z.boolean().describe('An agent at this address is here already: it is not added.'),
      note: z.string().exactOptional(),
    }),
  ),
  left_out: z.array(z.strictObject({ at: z.string(), code: z.string(), why: z.string() })),
});

const example = {
  format: 'mcp',
  sellers: [
    {
      at: '/mcpServers/harbor',
      slug: 'harbor',
      input: 'https://sales.harbor.example/mcp',
      name: 'harbor',
      protocol: 'mcp',
      has_credential: true,
      is_known: false,
    },
  ],
  left_out: [
    {
      at: '/mcpServers/files',
      code: 'local_process',
      why: 'It is a program on the machine of the client, and has no address.',
    },
  ],
} as const;

const route = routesOn<ImportFileDeps>();

/** Files of other programs that name sellers: what would be added, and the job that adds it. */
export const importFileRoutes = [
  route({
    method: 'post',
    path: '/v1/sellers/import/preview',
    id: 'preview_seller_file',
    summary:
      'Show which sellers a file names, and how they would be added; stores nothing and shows no secret',
    needs: 'sellers.write',
    byPerson: true,
    readsOnly: true,
    body: z.strictObject({ file }),
    secretsTaken: ['file'],
    answer: preview,
    example,
    handle: async (deps, { caller, body }) => {
      const read = await readFor(deps, caller, body.file);
      return read.ok ? ok(viewOf(read.value)) : read;
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/import/file',
    id: 'import_seller_file',
    summary:
      'Start a job that adds the sellers of a file like `sellers add`, except those that are here already',
    needs: 'sellers.write',
    byPerson: true,
    mayStartJob: true,
    body: z.strictObject({ file }),
    secretsTaken: ['file'],
    answer: z.strictObject({ job_id: z.string() }),
    example: { job_id: '00000000-0000-4000-8000-000000000001' },
    handle: async (deps, { caller, body }) => {
      const read = await readFor(deps, caller, body.file);
      if (!read.ok) return read;
      const items = itemsOf(read.value.sellers);
      if (items.length === 0)
        return err({
          code: 'INVALID_REQUEST',
          message: 'The file names no seller that could be added.',
          field: 'file',
          suggestion: 'The preview says why: POST /v1/sellers/import/preview.',
        });
      return deps.jobStarter.start(fileImport, caller, { input: {}, items });
    },
  }),
];

interface ReadFile extends Omit<SellerFile, 'sellers'> {
  readonly sellers: readonly SluggedSeller[];
}

async function readFor(
  deps: ImportFileDeps,
  caller: PrincipalCaller,
  given: GivenFile,
): Promise<Result<ReadFile, AdminFailure>> {
  const read = await readSellerFile(deps, given);
  if (!read.ok) return read;
  const here = await deps.connections.list(scopeOf(caller));
  return ok({ ...read.value, sellers: withSlugs(read.value.sellers, here) });
}

function viewOf({ format, sellers, leftOut }: ReadFile): z.output<typeof preview> {
  return {
    format,
    sellers: sellers.map(
      ({ slug, isKnown, seller: { at, input, name, protocol, token, account, note } }) => ({
        at,
        slug,
        input,
        has_credential: token !== undefined,
        is_known: isKnown,
        ...defined({ name, protocol, account, note }),
      }),
    ),
    left_out: leftOut.map(({ at, code, why }) => ({ at, code, why })),
  };
}
