import {
  isFirstLine,
  readStreamDocument,
  readStreamLines,
  UnreadableBlock,
  type OpenStream,
} from '@switchyard/journal';
import { err, ok, parseStrictJson, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { CliFailure } from './outcome.js';
import { linesOf, unreadable } from './read-input.js';

/** The limits of a file that is read whole, because its lines differ from those that an instance writes. */
const wholeAtMost = { maxBytes: 512 * 1024 * 1024, maxMembers: 20_000_000 };

/**
 * Passes an exported chain to `walk`: line by line if the file is as an instance wrote it, so that its size does not
 * matter. `what` names the expected contents, for error messages.
 */
export async function readStreamFile<T>(
  deps: CliDeps,
  file: string,
  { format, what }: { readonly format: string; readonly what: string },
  walk: (stream: OpenStream) => Promise<T>,
): Promise<Result<T, CliFailure>> {
  const isNone = (field: string): Result<never, CliFailure> =>
    err({ message: `${file} is no ${what} (at ${field}).` });
  try {
    const lines = linesOf(deps, file);
    const first = (await lines.next()).value as string;
    if (isFirstLine(first)) {
      const stream = readStreamLines(format, first, lines);
      return stream.ok ? ok(await walk(stream.value)) : isNone(stream.error.field);
    }
    const rest = [first];
    for await (const line of lines) rest.push(line);
    const parsed = parseStrictJson(Buffer.from(rest.join('\n')), wholeAtMost);
    if (!parsed.ok) {
      const { message, pointer } = parsed.error;
      return err({
        message: `${file} is not usable JSON: ${message}${pointer === '' ? '' : `, at ${pointer}`}.`,
      });
    }
    const stream = readStreamDocument(format, parsed.value.value);
    return stream.ok ? ok(await walk(stream.value)) : isNone(stream.error.field);
  } catch (error) {
    return error instanceof UnreadableBlock ? isNone(error.field) : err(unreadable(file, error));
  }
}
