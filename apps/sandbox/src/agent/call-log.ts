import type { JsonObject } from '../json.js';

interface LoggedCall {
  readonly at: string;
  readonly tool: string;
  readonly caller: 'known' | 'public';
  readonly args: JsonObject;
}

/** The calls that this process received, so that a test can prove that nothing was sent. Empty at the start. */
export class CallLog {
  readonly counts = new Map<string, number>();
  readonly recent: LoggedCall[] = [];

  note(call: LoggedCall): number {
    const count = (this.counts.get(call.tool) ?? 0) + 1;
    this.counts.set(call.tool, count);
    this.recent.push(call);
    if (this.recent.length > 100) this.recent.shift();
    return count;
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
}
