import { workbookLimits } from '@switchyard/tables';
import { reachOf } from '@switchyard/tenancy';
import { err, isUuid, ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import { quotaFailure, type Quotas } from '../platform/caller/quotas.js';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { routesOn } from '../platform/routes/route.js';
import type { FileDeps } from '../platform/routes/read-file.js';

interface FilesDeps extends FileDeps {
  readonly quotas?: Pick<Quotas, 'roomFor' | 'takeNow'>;
  readonly clock: Clock;
}

/** The most bytes of one part. Each part is one request and has its timeout. */
const partBytes = 4 * 1024 * 1024;

/** Files that are not used yet may together have this many times the bytes of the largest file. */
const unusedFiles = 4;

const route = routesOn<FilesDeps>();

/** Files that are too large for one request, or are not text. They are uploaded in parts and then named by their id. */
export const fileRoutes = [
  route({
    method: 'post',
    path: '/v1/files',
    id: 'announce_file',
    summary: 'Announce a file: send its parts next, and then name it in an import or an attachment',
    needs: 'ledger.write',
    status: 201,
    body: z.strictObject({
      name: z.string().min(1).max(255),
      bytes: z.int().min(1),
      sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits'),
    }),
    answer: z.strictObject({
      file_id: z.string(),
      part_bytes: z.int().describe('How large each part is; the last one may be smaller.'),
      parts: z.int(),
    }),
    handle: async ({ files, fileLimits, clock, quotas }, { caller, body }) => {
      if (!bringsFiles(caller)) return err(tooNarrow);
      if (body.bytes > fileLimits.bytes)
        return err({
          code: 'INVALID_REQUEST',
          message: `A file may have ${fileLimits.bytes} bytes at most, a workbook ${workbookLimits.fileBytes}.`,
          field: 'bytes',
          suggestion: 'Split the file, or raise SWITCHYARD_FINANCE_FILE_MB.',
        });
      const full = await quotas?.roomFor(scopeOf(caller), 'file_bytes', body.bytes);
      if (full !== undefined) return err(quotaFailure(full));
      const announced = { ...body, by: caller.principalId };
      const id = await files.announce(caller, announced, fileLimits.bytes * unusedFiles, clock.now());
      if (id !== undefined)
        return ok({ file_id: id, part_bytes: partBytes, parts: Math.ceil(body.bytes / partBytes) });
      return err({
        code: 'CONFLICT',
        message: 'Too many uploaded files are unused.',
        suggestion: 'Import or attach them. Unused files are deleted after a day.',
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/files/{id}/parts/{part}',
    id: 'put_file_part',
    summary: 'Send one part of a file, as bytes; parts count from 0, and a repeated part is stored once',
    needs: 'ledger.write',
    takesBytes: partBytes,
    answer: z.strictObject({ file_id: z.string(), received: z.int(), bytes: z.int() }),
    handle: async ({ files }, { caller, params: { id, part }, bytes }) => {
      if (!bringsFiles(caller)) return err(tooNarrow);
      const found = isUuid(id) ? await files.find(caller, id) : undefined;
      if (found === undefined) return err(notFound);
      const wanted = wantedBytes(found.bytes, part);
      if (wanted === undefined || bytes?.length !== wanted)
        return err({
          code: 'INVALID_REQUEST',
          message:
            wanted === undefined
              ? 'The file has no such part.'
              : `This part has ${wanted} bytes, and ${bytes?.length ?? 0} came.`,
          field: 'part',
        });
      if (!(await files.putPart(caller, id, Number(part), bytes))) return err(notFound);
      const now = await files.find(caller, id);
      return ok({ file_id: id, received: now?.received ?? 0, bytes: found.bytes });
    },
  }),
];

/** Files hold invoices and figures of all clients together, so uploading needs reach on everything. */
function bringsFiles(caller: PrincipalCaller): boolean {
  return reachOf(caller, 'ledger', 'write').kind === 'everything';
}

const tooNarrow: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'Files are of all clients together: this needs ledger.write in the scope organization.',
};

const notFound: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no file with this id that waits for parts.',
  field: 'id',
};

function wantedBytes(bytes: number, part: string): number | undefined {
  const at = /^\d{1,6}$/.test(part) ? Number(part) * partBytes : Number.NaN;
  return at < bytes ? Math.min(partBytes, bytes - at) : undefined;
}
