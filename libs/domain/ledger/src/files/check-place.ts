import { isPlaceScheme, type AskPlace, type FilePlace } from './file-place.js';

/** What one rule of the kit found. */
export interface PlaceFinding {
  readonly rule: string;
  readonly passed: boolean;
  readonly words: string;
}

interface Trial {
  readonly place: FilePlace;
  readonly ask: AskPlace;
  readonly put: (path: string, text: string, ask?: AskPlace) => Promise<void>;
  readonly get: (path: string) => Promise<string | undefined>;
}

/**
 * Judges a place by files that are stored there for the trial, below the address that `ask` reaches: give it an empty one. Each
 * rule is one that exports and imports rely on (docs/guides/connectors.md#a-place-for-files).
 */
export async function checkPlace(place: FilePlace, ask: AskPlace): Promise<readonly PlaceFinding[]> {
  const trial: Trial = {
    place,
    ask,
    put: (path, text, by = ask) => place.put({ path, body: Buffer.from(text) }, by),
    get: async (path) => (await place.get(path, ask))?.toString(),
  };
  const findings: PlaceFinding[] = [];
  for (const [rule, judge] of Object.entries(rules)) {
    const words = await judge(trial).catch((error: unknown) => `It threw: ${(error as Error).message}`);
    findings.push({ rule, passed: words === undefined, words: words ?? 'It does.' });
  }
  return findings;
}

const refusing: AskPlace = () => Promise.resolve({ status: 507, body: Buffer.from('no room') });

/** Breaks off while bytes are sent: the place has half of them. */
const cutting =
  (ask: AskPlace): AskPlace =>
  async (request) => {
    if (request.body === undefined || request.method === 'PROPFIND') return ask(request);
    await ask({ ...request, body: request.body.subarray(0, request.body.length / 2) });
    throw new Error('The connection broke.');
  };

const rejects = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    () => true,
  );

/** Each answers what is wrong, or undefined. */
const rules: Readonly<Record<string, (trial: Trial) => Promise<string | undefined>>> = {
  'has a name that can stand before an address': ({ place: { scheme } }) =>
    Promise.resolve(isPlaceScheme(scheme) ? undefined : `${scheme} can not.`),
  'stores a file below folders that are not there, and reads the same bytes': async ({ place, ask }) => {
    const body = Buffer.from(Uint8Array.from({ length: 70_000 }, (_, at) => at % 251));
    await place.put({ path: 'one/two/bytes.bin', body }, ask);
    const read = await place.get('one/two/bytes.bin', ask);
    return read?.equals(body) === true ? undefined : 'Other bytes came back.';
  },
  'keeps spaces, signs and other alphabets in names': async ({ place, ask, put, get }) => {
    const name = 'März 100% #1 & 東京?.csv';
    await put(`Größe & Co/${name}`, 'a');
    if ((await get(`Größe & Co/${name}`)) !== 'a') return 'The file is not found under its name.';
    const names = (await place.list('Größe & Co', ask)).map((file) => file.name);
    return names.join() === name ? undefined : `It is listed as ${names.join()}.`;
  },
  'replaces a file of the same name': async ({ put, get }) => {
    await put('again.csv', 'first');
    await put('again.csv', 'second');
    return (await get('again.csv')) === 'second' ? undefined : 'The first one is still there.';
  },
  'lists the files of a folder with their sizes, and no folders': async ({ place, ask, put }) => {
    await put('listed/a.csv', 'four');
    await put('listed/b.csv', 'sevenor');
    await put('listed/below/c.csv', 'c');
    const found = (await place.list('listed', ask)).map(({ name, bytes }) => `${name} ${bytes}`).toSorted();
    return found.join() === 'a.csv 4,b.csv 7' ? undefined : `It lists ${found.join() || 'nothing'}.`;
  },
  'has nothing where nothing was stored': async ({ place, ask, get }) => {
    if ((await get('never/stored.csv')) !== undefined) return 'It reads a file that is not there.';
    return (await place.list('never', ask)).length === 0 ? undefined : 'It lists files that are not there.';
  },
  'fails where the place refuses': async ({ place, put }) => {
    const outcomes = await Promise.all([
      rejects(put('full.csv', 'a', refusing)),
      rejects(place.get('full.csv', refusing)),
      rejects(place.list('', refusing)),
    ]);
    const quiet = ['put', 'get', 'list'].filter((_, at) => outcomes[at] === false);
    return quiet.length === 0 ? undefined : `It says nothing of it: ${quiet.join(', ')}.`;
  },
  'shows no file before it is whole': async ({ place, ask, put, get }) => {
    await put('cut/old.csv', 'the old one');
    for (const name of ['new.csv', 'old.csv'])
      if (!(await rejects(put(`cut/${name}`, 'twelve bytes', cutting(ask)))))
        return 'It does not say that sending broke off.';
    if ((await get('cut/new.csv')) !== undefined) return 'A half file stands under its name.';
    if ((await get('cut/old.csv')) !== 'the old one')
      return 'A half file stands in the place of a whole one.';
    const names = (await place.list('cut', ask)).map(({ name }) => name);
    return names.join() === 'old.csv' ? undefined : `It lists ${names.join()}.`;
  },
};
