import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** The most items and errors that a summary names, and the longest text of each, in characters. */
const mostNamed = 10;
const longestName = 80;
const longestMessage = 300;

/** Lists of an answer that are not its content. */
const beside: ReadonlySet<string> = new Set(['sellers', 'errors', 'findings', 'incomplete']);

/**
 * An answer as a short text for a model: the status of the task, the number of results, the errors. The structured
 * content beside it is the whole answer.
 */
export function summarizeAnswer(task: string, body: JsonObject): string {
  const { status, message, task_id: taskId } = body;
  const [reported] = [message]
    .filter((text) => typeof text === 'string')
    .map((text) => ` ${cut(text, longestMessage)}`);
  const isOpen = typeof taskId === 'string' && status !== 'completed';
  return [
    `${task}: ${typeof status === 'string' ? status : 'answered'}.${reported ?? ''}`,
    ...(typeof body['media_buy_id'] === 'string' ? [`media_buy_id: ${cut(body['media_buy_id'])}`] : []),
    ...(isOpen ? [`task_id: ${cut(taskId)} (get_task_status says how far it is)`] : []),
    ...Object.entries(body).flatMap(([name, value]) => listLines(name, value)),
    ...(isMore(body) ? ['There are more pages: send pagination.cursor.'] : []),
    ...errorLines(body['errors']),
    ...sellerLines(sellersOf(body)),
    'The whole answer is in structuredContent.',
  ].join('\n');
}

function listLines(name: string, value: JsonValue): readonly string[] {
  if (beside.has(name) || !Array.isArray(value)) return [];
  const items = value.slice(0, mostNamed).map((item) => (isJsonObject(item) ? nameOf(item) : undefined));
  const named = items.flatMap((item) => (item === undefined ? [] : [`- ${item}`]));
  const left = value.length - items.length;
  return [
    `${name}: ${value.length}`,
    ...named,
    ...(named.length > 0 && left > 0 ? [`- and ${left} more`] : []),
  ];
}

/** An item's id, name and state. */
function nameOf(item: JsonObject): string | undefined {
  const idName = Object.keys(item).find((name) => name.endsWith('_id') && typeof item[name] === 'string');
  const words = [idName, 'name', 'status'].map((name) => (name === undefined ? undefined : item[name]));
  const texts = words.flatMap((word) => (typeof word === 'string' && word !== '' ? [cut(word)] : []));
  return texts.length === 0 ? undefined : texts.join(', ');
}

function isMore({ pagination }: JsonObject): boolean {
  return isJsonObject(pagination) && pagination['has_more'] === true;
}

function errorLines(errors: JsonValue | undefined): readonly string[] {
  const all = Array.isArray(errors) ? errors.filter(isJsonObject) : [];
  return all.slice(0, mostNamed).map(({ code, message, field, suggestion }) => {
    const texts = [message, suggestion].filter((text) => typeof text === 'string');
    const place = typeof field === 'string' ? ` (${cut(field)})` : '';
    return `error ${typeof code === 'string' ? code : 'unknown'}${place}: ${cut(texts.join(' '), longestMessage)}`;
  });
}

/** In the service form they are beside the payload, in releases below `ext`. */
function sellersOf({ sellers, ext }: JsonObject): JsonValue | undefined {
  const ours = isJsonObject(ext) ? ext['switchyard'] : undefined;
  return sellers ?? (isJsonObject(ours) ? ours['sellers'] : undefined);
}

function sellerLines(sellers: JsonValue | undefined): readonly string[] {
  const rows = Array.isArray(sellers) ? sellers.filter(isJsonObject) : [];
  if (rows.length === 0) return [];
  const others = rows.filter(({ status }) => status !== 'answered');
  const named = others.slice(0, mostNamed).map(({ seller, status }) => `${cut(seller)} ${cut(status)}`);
  const rest = others.length > named.length ? ` and ${others.length - named.length} more` : '';
  const without = named.length === 0 ? '' : `; not: ${named.join(', ')}${rest}`;
  return [`sellers: ${rows.length - others.length} of ${rows.length} answered${without}`];
}

/** One short line: sellers' text is untrusted. */
function cut(value: JsonValue | undefined, most = longestName): string {
  const line = (typeof value === 'string' ? value : '').replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 3)}...` : line;
}
