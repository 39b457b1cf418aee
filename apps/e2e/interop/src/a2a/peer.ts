/** What a server answered to one POST. */
export interface Answer {
  readonly status: number;
  readonly isStream: boolean;
  /** The messages of JSON-RPC in it, in order. */
  readonly messages: readonly Message[];
}

export interface Message {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** Sends a body as it is. */
export type Send = (body: string) => Promise<Answer>;

/** A server of A2A. */
export interface Peer {
  readonly url: string;
  readonly token: string;
  /** Starts a task that lasts. */
  open(send: Send): Promise<Answer>;
}

/** Sends a body, and reads the answer to its end; `begun` is called once something of it is there. */
export async function post(
  { url, token }: Pick<Peer, 'url' | 'token'>,
  body: string,
  headers: Readonly<Record<string, string>>,
  begun: () => void = () => undefined,
): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body,
  });
  const isStream = answer.headers.get('content-type')?.includes('text/event-stream') === true;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    if (text === '') begun();
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  const lines = text.split('\n').filter((line) => line.startsWith('data:'));
  const parts = isStream ? lines.map((line) => line.slice('data:'.length)) : text === '' ? [] : [text];
  return { status: answer.status, isStream, messages: parts.map((part) => JSON.parse(part) as Message) };
}

/** What may be compared of an answer: the status of HTTP, codes, states and which members there are; no texts and ids. */
export function outcomeOf({ status, isStream, messages }: Answer): string {
  const [first] = messages;
  const id = first === undefined ? [] : [`id ${JSON.stringify(first.id ?? null)}`];
  return [String(status), ...(isStream ? ['stream'] : []), ...id, ...messages.map(partOf)].join('; ');
}

function partOf({ error, result }: Message): string {
  return error === undefined ? shapeOf(result) : `error ${error.code}`;
}

/** Members that either may leave out: what was said before, and words for people. */
const optional = new Set(['history', 'metadata', 'message']);
const within = new Set(['task', 'status', 'statusUpdate', 'pushNotificationConfig', 'tasks', 'configs']);
const shown = new Set(['state', 'kind', 'final']);

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length === 0 ? '' : shapeOf(value[0])}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([name]) => !optional.has(name));
  const written = members.map(([name, member]) => {
    if (shown.has(name)) return `${name}=${String(member)}`;
    return within.has(name) ? `${name}${shapeOf(member)}` : name;
  });
  return `{${written.toSorted().join(' ')}}`;
}
