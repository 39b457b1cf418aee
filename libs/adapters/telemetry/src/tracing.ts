/** The attributes of spans: ids and names of closed lists. No bodies, no queries of addresses, no names of people. */
export type TraceAttributes = Readonly<
  Partial<
    Record<
      | 'http.request.method'
      | 'http.route'
      | 'http.response.status_code'
      | 'server.address'
      | 'error.type'
      | 'switchyard.organization'
      | 'switchyard.operation'
      | 'switchyard.connection'
      | 'switchyard.seller'
      | 'switchyard.task'
      | 'switchyard.outcome'
      | 'switchyard.request'
      | 'switchyard.caller_trace',
      string | number
    >
  >
>;

/** `server`: somebody asked us. `client`: we ask somebody. `internal`: everything else. */
export type SpanKind = 'server' | 'client' | 'internal';

/** One step of a trace, while it lasts. */
export interface TraceSpan {
  set(attributes: TraceAttributes): void;
  /** Marks the step as failed; `type` is a code or the name of an error's class. */
  fail(type: string): void;
  end(): void;
}

export interface SpanStart {
  readonly kind?: SpanKind;
  readonly attributes?: TraceAttributes;
  /** The headers `traceparent` (W3C Trace Context) of what caused the step. They are linked, the first 32. */
  readonly causedBy?: string | undefined | readonly (string | undefined)[];
}

/** Traces of one process. The step that runs is known by the flow of calls; nobody passes it on. */
export interface Tracing {
  /** False: nothing is recorded, and wrapping is of no use. */
  readonly isOn: boolean;
  /** Begins a step of the one that runs now, or a new trace. The caller ends it. */
  start(name: string, how?: SpanStart): TraceSpan;
  /** Runs work as part of a step: what it starts belongs to it. */
  within<T>(span: TraceSpan, work: () => T): T;
  /** Runs work as a step that ends with it. A rejection marks the step as failed. */
  run<T>(name: string, how: SpanStart, work: (span: TraceSpan) => Promise<T>): Promise<T>;
  /** The running step as a value of `traceparent`; undefined if there is none, or if it is not recorded. */
  current(): string | undefined;
  /** Sends what is left, within three seconds. */
  close(): Promise<void>;
}

const nothing: TraceSpan = { set: () => undefined, fail: () => undefined, end: () => undefined };

/** No traces: each call does its work and nothing else. */
export const noTracing: Tracing = {
  isOn: false,
  start: () => nothing,
  within: (_, work) => work(),
  run: (_, __, work) => work(nothing),
  current: () => undefined,
  close: () => Promise.resolve(),
};

/** The same object, with a step `PREFIX METHOD` for each call of these methods, which all answer later. */
export function tracedCalls<T extends object>(
  tracing: Tracing,
  prefix: string,
  target: T,
  methods: readonly (keyof T & string)[],
): T {
  if (!tracing.isOn) return target;
  const traced: ReadonlySet<string | symbol> = new Set(methods);
  return new Proxy(target, {
    get: (of, key) => {
      const member: unknown = Reflect.get(of, key);
      if (typeof member !== 'function') return member;
      if (!traced.has(key)) return (...args: unknown[]): unknown => Reflect.apply(member, of, args);
      return (...args: unknown[]): unknown =>
        tracing.run(`${prefix} ${String(key)}`, {}, async () => {
          const answer: unknown = await Reflect.apply(member, of, args);
          return answer;
        });
    },
  });
}

/** The id of the trace that runs now, where it is recorded: log lines have it. */
export function runningTrace(tracing: Tracing): { readonly trace_id?: string } {
  const id = tracing.current()?.split('-')[1];
  return id === undefined ? {} : { trace_id: id };
}

/** The class of an error: its message may hold what others wrote. */
export function typeOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}
