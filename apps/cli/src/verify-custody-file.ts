import { custodyFormat, verifyCustody } from '@switchyard/relay';
import { ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { CliFailure } from './outcome.js';
import { readStreamFile } from './read-stream-file.js';

/** Recomputes an exported chain of custody, with the verdict of an instance. Needs no instance and no network. */
export async function verifyCustodyFile(
  deps: CliDeps,
  file: string,
): Promise<Result<JsonObject, CliFailure>> {
  const wanted = { format: custodyFormat, what: 'export of a chain of custody' };
  const verdict = await readStreamFile(deps, file, wanted, verifyCustody);
  if (!verdict.ok) return verdict;
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
