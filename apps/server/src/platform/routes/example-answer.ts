import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** Values of members by their names, as the written examples have them. */
type ExampleValues = ReadonlyMap<string, JsonValue>;

/** The plain values of examples by the names of their members. A name that means several things has none. */
export function valuesOf(examples: readonly unknown[]): ExampleValues {
  const found = new Map<string, JsonValue[]>();
  const collect = (value: unknown, name = ''): void => {
    if (Array.isArray(value)) for (const item of value) collect(item, singular(name));
    else if (isJsonObject(value)) for (const [member, item] of Object.entries(value)) collect(item, member);
    else found.set(name, [...(found.get(name) ?? []), value as JsonValue]);
  };
  for (const example of examples) collect(example);
  return new Map(
    [...found].flatMap(([name, all]) => {
      const [first = null] = all;
      const isPlain =
        /_(?:id|at)$/.test(name) || all.filter((item) => item === first).length * 2 > all.length;
      return first !== null && isPlain ? [[name, first]] : [];
    }),
  );
}

const singular = (name: string): string => name.replace(/s$/, '');

/** An example of an answer whose route has none: required members, and the others that examples have a value of. */
export function exampleAnswer(
  schema: JsonObject,
  values: ExampleValues,
  name = '',
  named: JsonObject = {},
): JsonValue {
  const { $ref: reference } = schema;
  if (typeof reference === 'string') {
    const target = named[reference.slice(reference.lastIndexOf('/') + 1)];
    return exampleAnswer(isJsonObject(target) ? target : {}, values, name, named);
  }
  const { const: only, enum: options, anyOf, oneOf = anyOf, type } = schema;
  if (only !== undefined) return only;
  const known = values.get(name);
  if (known !== undefined && isOf(schema, known)) return known;
  if (Array.isArray(options)) return options[0] ?? null;
  if (Array.isArray(oneOf)) return exampleAnswer(oneOf.find(isJsonObject) ?? {}, values, name, named);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'array':
      return isJsonObject(schema['items'])
        ? [exampleAnswer(schema['items'], values, singular(name), named)]
        : [];
    case 'string':
      return exampleText(schema, name);
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1));
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return exampleObject(schema, values, named);
  }
}

function exampleObject(
  { properties, required }: JsonObject,
  values: ExampleValues,
  named: JsonObject,
): JsonObject {
  if (!isJsonObject(properties)) return {};
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      if (!isJsonObject(schema)) return [];
      const known = values.get(name);
      const isShown = needed.has(name) || (known !== undefined && isOf(schema, known));
      return isShown ? [[name, exampleAnswer(schema, values, name, named)]] : [];
    }),
  );
}

/** Whether a plain value fits a schema, as far as its type, its options and its pattern say. */
function isOf({ type, enum: options, pattern }: JsonObject, value: JsonValue): boolean {
  if (Array.isArray(options) && !options.includes(value)) return false;
  if (typeof pattern === 'string' && typeof value === 'string' && !new RegExp(pattern, 'u').test(value))
    return false;
  const types = Array.isArray(type) ? type : [type];
  return types.includes(typeof value) || (types.includes('integer') && Number.isInteger(value));
}

/** Values of texts by the names of their members: the first row whose pattern the name has, and whose value fits. */
const texts: readonly (readonly [name: RegExp, value: string])[] = [
  [/^media_buy_id$|^buy$/, 'mb_311e5ca0-845f-4765'],
  [/^task_id$/, 'task_7d0b4a3c'],
  [/^package(_id)?$/, 'acme:pkg_1'],
  [/^product_id$/, 'acme:p1'],
  [/^pricing_option_id$/, 'cpm-usd'],
  [/^wire_brand_id$/, 'coffee'],
  [/^tax_id$/, 'DE123456789'],
  [/(^|_)id$|^evidence$/, '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77'],
  [/(^|_)(sha256|hash|digest)$|^head$/, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  [/^jws$/, 'eyJhbGciOiJFZERTQSIsImtpZCI6InN5LTIwMjYtMTEtMSJ9..c2lnbmF0dXJl'],
  [/a2a_url$/, 'https://agency.example/a2a'],
  [/(mcp_url|^resource)$/, 'https://agency.example/mcp'],
  [/^callback_url$/, 'https://agency.example/webhooks/whr_6f2e4d0a8c53'],
  [/^(agent_)?url$/, 'https://acme.example/mcp'],
  [/^code$/, 'refused'],
  [/^number$/, 'D-7'],
  [/^subject$/, '248289761001'],
  [/^at$/, 'https://nova.example/.well-known/switchyard.json'],
  [/^email$/, 'ann@agency.example'],
  [/^iban$/, 'DE89...3000'],
  [/^street$/, 'Hafenstr. 1'],
  [/^post_code$/, '20457'],
  [/^city$/, 'Hamburg'],
  [/^country$/, 'DE'],
  [/^(series|next_number)$/, '12'],
  [/percent$/, '19'],
  [/^tax_category$/, 'S'],
  [/^service_(from|to)$/, '2026-11-21'],
  [/^description$/, 'Media, Spring launch'],
  [/^(current|days_\d+_\d+|over_90|seller_fees)$/, '12.5'],
  [/^(net|tax|gross|cap|margin|markup|media|fees|commission|differences)$/, '12.5'],
  [/^content$/, 'External ID,Date'],
  [/^file$/, 'november.csv'],
  [/^media_type$/, 'application/xml'],
  [/^role$/, 'trader'],
  [/^task$/, 'get_products'],
  [/^link$/, 'https://agency.example/console/#link=sy_6f2e4d0a8c53'],
  [/^issuer$/, 'https://login.agency.example'],
  [/^uri$/, 'otpauth://totp/Switchyard:ann%40agency.example?secret=JBSWY3DPEHPK3PXP'],
  [/^secret$/, 'JBSWY3DPEHPK3PXP'],
  [/^recovery_code$/, 'k7mq-4xv2-9hdp'],
  [/(^|_)(token|challenge)$|^second_step$/, 'sy_6f2e4d0a8c53'],
  [/(_on|^day|^date)$/, '2026-11-21'],
  [/(_at|^since|^until)$/, '2026-11-21T12:00:00.000Z'],
  [/^period$|_month$/, '2026-11'],
  [/^time_?zone$/, 'Europe/Berlin'],
  [
    /amount|budget|cost|spend|delivered|^(committed|difference|forecast|invoiced|open|ordered|paid|polled|reported)$/,
    '12.5',
  ],
  [/(^|_)total$|^block$/, '3'],
  [/^currency$/, 'EUR'],
  [/^brand$|domain$/, 'nova.example'],
  [/^organization$/, 'agency.example'],
  [/^campaign$/, 'Spring launch'],
  [/^owner$|^member$|(^|_)by$/, 'ada'],
  [/^account$/, 'nova.example by agency.example'],
  [/^(estimate|insertion_order|po_number)$/, 'PO-42'],
  [/^reference(_start)?$/, 'spring-2026'],
  [/^stream$/, 'ledger:0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1'],
  [/^body$/, '{"status": "completed"}'],
  [/^step$/, 'reconciliation'],
  [/^method$/, 'POST'],
  [/^path$/, '/mcp'],
  [/^kind$/, 'delivery_report'],
  [/^way$/, 'sealed'],
  [/^outcome$/, 'answered'],
  [/^(state|status)$/, 'active'],
  [/^(cause|found|message|reason|seen|text|title|why|words)$/, 'The seller has confirmed it.'],
  [/^describe$/, 'Something waits for your approval'],
  [/^signing_key$/, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  [/(^|_)(name|label)$/, 'Nova'],
  [/^format$/, 'switchyard.ledger.export.1'],
];
/** For texts with a format or a pattern alone. */
const shapes = [
  '2026-11-21T12:00:00.000Z',
  '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
  '2026-11-21',
  '2026-11',
  '12.5',
];

function exampleText({ format, pattern }: JsonObject, name: string): string {
  if (format === 'date-time') return shapes[0] ?? '';
  if (format === 'uuid') return shapes[1] ?? '';
  const matches = new RegExp(typeof pattern === 'string' ? pattern : '', 'u');
  const named = texts.flatMap(([wanted, value]) => (wanted.test(name) ? [value] : []));
  const known = typeof pattern === 'string' ? [...named, ...shapes] : named;
  return known.find((item) => matches.test(item)) ?? name.replaceAll('_', ' ');
}
