import { defined, err, isoOf, ok } from '@switchyard/values';
import { z } from 'zod';
import { instant } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import type { CreativeFile, CreativeFolder } from './creative-folder.js';
import { mediaOf, mediaTypes } from './media-of.js';

interface CreativeFilesDeps {
  readonly creativeFolder: CreativeFolder;
  /** The largest file in bytes, and how many an organization may have. */
  readonly creativeLimits: { readonly bytes: number; readonly files: number };
  readonly baseUrl: () => string;
}

/** The most that a request brings, whatever the setting allows. */
export const creativeBytesAtMost = 50 * 1024 * 1024;

const file = z.strictObject({
  name: z.string(),
  url: z.string().describe('Whoever has this address reads the file: sellers fetch it. Nobody can guess it.'),
  media_type: z.string(),
  bytes: z.int(),
  stored_at: instant,
});
const stored = z.strictObject({
  ...file.shape,
  width: z.int().exactOptional().describe('In pixels, of a picture.'),
  height: z.int().exactOptional(),
});

const example = {
  name: 'Q0vN2a8yV1h3kz4Lx9TqPwEr.png',
  url: 'https://switchyard.example/creative-files/3f1d8a6c5b7e4c02a9d1f3b5c7e9a1b3/Q0vN2a8yV1h3kz4Lx9TqPwEr.png',
  media_type: 'image/png',
  bytes: 48_211,
  stored_at: '2026-11-21T12:00:00.000Z',
};

const route = routesOn<CreativeFilesDeps>();

/** Files of creatives that people upload, in the folder of `SWITCHYARD_CREATIVE_FOLDER`. */
export const creativeFileRoutes = [
  route({
    method: 'get',
    path: '/v1/creative-files',
    id: 'list_creative_files',
    summary: 'Uploaded files of creatives, newest first',
    needs: 'creatives.read',
    isOfOrganization: true,
    answer: z.strictObject({ files: z.array(file) }),
    example: { files: [example] },
    handle: async (deps, { caller }) => {
      const files = await deps.creativeFolder.list(caller.organizationId);
      return ok({ files: files.map((one) => viewOf(deps, caller.organizationId, one)) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/creative-files',
    id: 'upload_creative_file',
    summary:
      'Upload a file for creatives: a picture, a video, HTML or VAST, as bytes; its first bytes say what it is',
    needs: 'creatives.write',
    takesBytes: creativeBytesAtMost,
    status: 201,
    answer: stored,
    example: { ...example, width: 300, height: 250 },
    handle: async (deps, { caller, bytes = Buffer.alloc(0) }) => {
      const { creativeFolder, creativeLimits } = deps;
      if (bytes.length === 0 || bytes.length > creativeLimits.bytes)
        return err({
          code: 'INVALID_REQUEST',
          message: `A file has 1 to ${creativeLimits.bytes} bytes; ${bytes.length} came.`,
          suggestion: 'Make it smaller, or have SWITCHYARD_CREATIVE_FILE_MB raised.',
        });
      const media = mediaOf(bytes);
      if (media === undefined)
        return err({
          code: 'INVALID_REQUEST',
          message: 'This is none of PNG, JPEG, GIF, WebP, MP4, WebM, HTML and VAST.',
          suggestion: 'Export it as one of these. The name of a file decides nothing.',
        });
      const { organizationId } = caller;
      if (creativeLimits.files === 0)
        return err({ code: 'CONFLICT', message: 'This installation takes no files of creatives.' });
      if ((await creativeFolder.list(organizationId)).length >= creativeLimits.files)
        return err({
          code: 'CONFLICT',
          message: `The organization has ${creativeLimits.files} files, which is the most.`,
          suggestion: 'Remove some that no creative uses: DELETE /v1/creative-files/{name}.',
        });
      const kept = await creativeFolder.put(organizationId, bytes, media.extension);
      return ok({
        ...viewOf(deps, organizationId, kept),
        ...defined({ width: media.width, height: media.height }),
      });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/creative-files/{name}',
    id: 'remove_creative_file',
    summary: 'Remove an uploaded file; a creative that names its address shows nothing from then on',
    needs: 'creatives.write',
    isOfOrganization: true,
    byPerson: true,
    answer: z.strictObject({ name: z.string() }),
    example: { name: example.name },
    handle: async ({ creativeFolder }, { caller, params: { name } }) =>
      (await creativeFolder.remove(caller.organizationId, name))
        ? ok({ name })
        : err({ code: 'NOT_FOUND', message: 'There is no uploaded file of this name.', field: 'name' }),
  }),
];

function viewOf(
  { creativeFolder, baseUrl }: CreativeFilesDeps,
  organizationId: string,
  { name, bytes, storedAt }: CreativeFile,
): z.output<typeof file> {
  const extension = name.slice(name.lastIndexOf('.') + 1) as keyof typeof mediaTypes;
  return {
    name,
    url: `${baseUrl()}/creative-files/${creativeFolder.keyOf(organizationId)}/${name}`,
    media_type: mediaTypes[extension],
    bytes,
    stored_at: isoOf(Math.floor(storedAt)),
  };
}
