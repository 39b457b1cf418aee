import { verifyCustodyExport } from '@switchyard/relay';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { CliFailure } from './outcome.js';
import { readJsonFile } from './read-input.js';

/** Recomputes an exported chain of custody, and says what an instance would. Needs none and calls nobody. */
export async function verifyCustodyFile(
  deps: CliDeps,
  file: string,
): Promise<Result<JsonObject, CliFailure>> {
  const read = await readJsonFile(deps, file);
  if (!read.ok) return read;
  const verdict = await verifyCustodyExport(read.value.value);
  if (!verdict.ok)
    return err({ message: `${file} is no export of a chain of custody (at ${verdict.error.field}).` });
  const { value } = verdict;
  if (value.ok) return ok({ ok: true, records: Number(value.entries), head: value.head.hash });
  return ok({
    ok: false,
    records: 0,
    head: null,
    code: value.code,
    block: value.at.number.toString(),
    record: value.record ?? null,
  });
}
