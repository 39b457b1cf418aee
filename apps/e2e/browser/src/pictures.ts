import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openWindow, settled, signInBy, type Appearance } from './harness/browser.js';
import { joinSandboxInstance, startSandboxInstance } from './harness/sandbox-instance.js';
import { addressesOf } from './harness/registered-pages.js';
import { takeInvented } from './invented/take.js';

/**
 * `npm run pictures`: takes the pictures of docs/guides/pictures, of the console with invented data. `--every` takes one
 * of each page of a sandbox market instead, at three widths and in both themes; `--data FOLDER` uses a running instance.
 * `--only WORD` selects pictures whose name, or pages whose URL, contains the word.
 */
const { values } = parseArgs({
  options: {
    into: { type: 'string' },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
    every: { type: 'boolean', default: false },
  },
});

if (values.every || values.data !== undefined) await takeEvery();
else {
  const folder = resolve(values.into ?? 'docs/guides/pictures');
  for (const complaint of await takeInvented(folder, values.only)) process.stderr.write(`${complaint}\n`);
  process.stdout.write(`The pictures are in ${folder}\n`);
}

async function takeEvery(): Promise<void> {
  const folder =
    values.into === undefined ? mkdtempSync(join(tmpdir(), 'switchyard-pictures-')) : resolve(values.into);
  mkdirSync(folder, { recursive: true });
  const instance =
    values.data === undefined ? await startSandboxInstance() : joinSandboxInstance(resolve(values.data));
  try {
    const every = (await addressesOf(instance, true))
      .filter((address) => address.includes(values.only))
      .map((address) => ({
        name: address.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'home',
        address,
      }));
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [390, 1280, 1920]) await take({ width, scheme }, every);
    process.stdout.write(`The pictures are in ${folder}\n`);
  } finally {
    await instance.stop();
  }

  async function take(
    look: Appearance & { readonly width: number },
    wanted: readonly { readonly name: string; readonly address: string }[],
  ): Promise<void> {
    const window = await openWindow(look);
    try {
      await signInBy(window.page, instance.link());
      for (const { name, address } of wanted) {
        await window.page.goto(`${instance.url}/console${address}`);
        await settled(window.page);
        const file = `${name}-${look.width}-${look.scheme ?? 'light'}.png`;
        await window.page.screenshot({ path: join(folder, file), fullPage: true });
      }
      for (const complaint of window.complaints) process.stderr.write(`${complaint}\n`);
    } finally {
      await window.close();
    }
  }
}
