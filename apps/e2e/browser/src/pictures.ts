import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openWindow, settled, signInBy, type Appearance } from './harness/browser.js';
import { joinSandboxInstance, startSandboxInstance } from './harness/sandbox-instance.js';
import { addressesOf } from './harness/registered-pages.js';

/**
 * `npm run pictures`: takes a picture of each page of the console, at three widths and in both themes, from a sandbox
 * market. `--data FOLDER` uses a running instance; `--only WORD` selects pages whose URL contains the word; `--guides`
 * takes those of docs/guides/pictures instead.
 */
const { values } = parseArgs({
  options: {
    into: { type: 'string' },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
    guides: { type: 'boolean', default: false },
  },
});

/** The pictures in the guides, by file name. */
const inGuides: Readonly<Record<string, string>> = {
  home: '/',
  buy: '/buys/',
  spend: '/reports',
  reconcile: '/reconcile',
  seller: '/sellers/',
  relay: '/calls/',
};

const folder = values.guides
  ? resolve('docs/guides/pictures')
  : values.into === undefined
    ? mkdtempSync(join(tmpdir(), 'switchyard-pictures-'))
    : resolve(values.into);
mkdirSync(folder, { recursive: true });

const instance =
  values.data === undefined ? await startSandboxInstance() : joinSandboxInstance(resolve(values.data));
try {
  const addresses = await addressesOf(instance, true);
  const guided = Object.entries(inGuides).flatMap(([name, start]) => {
    const address = addresses.find(
      (text) => text === start || (start.length > 1 && start.endsWith('/') && text.startsWith(start)),
    );
    return address === undefined ? [] : [{ name, address }];
  });
  const every = addresses
    .filter((address) => address.includes(values.only))
    .map((address) => ({
      name: address.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'home',
      address,
    }));
  if (values.guides) await take({ width: 1280, height: 800, scheme: 'light' }, guided, false);
  else
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [390, 1280, 1920])
        await take(
          { width, scheme },
          every.map(({ name, address }) => ({ name: `${name}-${width}-${scheme}`, address })),
          true,
        );
  process.stdout.write(`The pictures are in ${folder}\n`);
} finally {
  await instance.stop();
}

async function take(
  look: Appearance,
  wanted: readonly { readonly name: string; readonly address: string }[],
  fullPage: boolean,
): Promise<void> {
  const window = await openWindow(look);
  try {
    await signInBy(window.page, instance.link());
    for (const { name, address } of wanted) {
      await window.page.goto(`${instance.url}/console${address}`);
      await settled(window.page);
      await window.page.screenshot({ path: join(folder, `${name}.png`), fullPage });
    }
    for (const complaint of window.complaints) process.stderr.write(`${complaint}\n`);
  } finally {
    await window.close();
  }
}
