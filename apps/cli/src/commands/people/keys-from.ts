import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import type { CliFailure } from '../../outcome.js';
import { readJsonFile } from '../../read-input.js';

/** The instance fetches an address itself; a file is sent. */
export async function keysFrom(
  deps: CliDeps,
  source: string | undefined,
): Promise<Result<JsonObject, CliFailure>> {
  if (source === undefined) return ok({});
  if (/^https?:\/\//i.test(source)) return ok({ jwks_uri: source });
  const file = await readJsonFile(deps, source);
  if (!file.ok) return file;
  const { value } = file.value;
  if (isJsonObject(value) && Array.isArray(value['keys'])) return ok({ jwks: value });
  // A single key becomes a key set of one.
  if (isJsonObject(value) && typeof value['kty'] === 'string') return ok({ jwks: { keys: [value] } });
  return err({ message: `${source} holds no JSON Web Key Set.` });
}
