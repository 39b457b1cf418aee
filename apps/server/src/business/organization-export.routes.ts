import type { AuditLog, ExportedTable } from '@switchyard/store';
import { permissionTable, type TenantScope } from '@switchyard/tenancy';
import { err, isoOf, ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import { withJobs } from '../platform/jobs/request-job.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import { instant } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { routesOn, WrittenAnswer } from '../platform/routes/route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

export interface OrganizationExportDeps {
  readonly jobStarter: JobStarter;
  readonly exportRows: (
    scope: TenantScope,
    take: (table: string, rows: readonly string[]) => Promise<void>,
  ) => Promise<readonly ExportedTable[]>;
  readonly audit: Pick<AuditLog, 'begin' | 'end'>;
  readonly clock: Clock;
}

/** One line of the answer. The last one is the manifest: without it the export is cut off. */
const line = z.union([
  z.strictObject({
    table: z.string(),
    row: z.looseObject({}).describe('Its columns by name, as PostgreSQL writes them as JSON.'),
  }),
  z.strictObject({
    manifest: z.strictObject({
      organization_id: z.string(),
      exported_at: instant,
      tables: z.array(
        z.strictObject({
          table: z.string(),
          rows: z.int(),
          sha256: z
            .string()
            .describe('SHA-256, hexadecimal, of its rows as they stand here, each followed by a line feed.'),
        }),
      ),
    }),
  }),
]);

const route = routesOn<OrganizationExportDeps>();

/** Everything that is stored of the caller's organization, without secrets (docs/guides/admin.md#export-an-organization). */
export const organizationExportRoutes = withJobs([
  route({
    method: 'get',
    path: '/v1/organization-export',
    id: 'export_organization',
    summary:
      'Every row of the organization as JSON lines, as of one instant and without secrets, and a manifest with digests as the last line',
    needs: 'principals.write',
    isOfOrganization: true,
    byPerson: true,
    answer: line,
    example: { table: 'client', row: { id: '0b6a3c0e-53b3-4c58-9d5b-0a3a54a2b0e1', name: 'Nova' } },
    inParts: true,
    asJob: { title: 'Export of the organization' },
    handle: ({ exportRows, audit, clock }, { caller }) => {
      const lacking = firstUnread(caller);
      if (lacking !== undefined) return Promise.resolve(err(lacking));
      const at = clock.now();
      const written = new WrittenAnswer(async (write) => {
        const act = { actorId: caller.principalId, actorName: caller.name, action: 'export_organization' };
        const row = await audit.begin(caller, { ...act, at, objectKind: 'organization', detail: {} });
        try {
          const tables = await exportRows(caller, (table, rows) =>
            write(rows.map((text) => `{"table":${JSON.stringify(table)},"row":${text}}\n`).join('')),
          );
          const manifest = { organization_id: caller.organizationId, exported_at: isoOf(at), tables };
          await write(`${JSON.stringify({ manifest })}\n`);
          await audit.end(caller, row, { outcome: 'ok', endedAt: clock.now() });
        } catch (error) {
          await audit.end(caller, row, { outcome: 'failed', endedAt: clock.now() });
          throw error;
        }
      });
      return Promise.resolve(ok(written));
    },
  }),
]);

/** Everything is in the export, so its reader may read everything. */
function firstUnread(caller: PrincipalCaller) {
  for (const [area, kinds] of Object.entries(permissionTable) as [
    keyof typeof permissionTable,
    readonly string[],
  ][]) {
    const narrow = kinds.includes('read') ? organizationWide(caller, area, 'read') : undefined;
    if (narrow !== undefined) return narrow;
  }
  return undefined;
}
