import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * An append-only file of JSON lines. When `append` returns, the kernel has the line, so it outlives the process; a last
 * line that a kill cut short was never acknowledged, and is removed on opening.
 */
export class Journal<Entry> {
  constructor(private readonly path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  }

  read(): readonly Entry[] {
    if (!existsSync(this.path)) return [];
    const bytes = readFileSync(this.path);
    const whole = bytes.lastIndexOf(10) + 1;
    if (whole < bytes.length) truncateSync(this.path, whole);
    const lines = bytes.subarray(0, whole).toString('utf8').split('\n');
    return lines.filter((line) => line.length > 0).map((line) => JSON.parse(line) as Entry);
  }

  append(entry: Entry): void {
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  }
}
