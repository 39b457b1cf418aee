import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { openWindow, settled } from '../harness/browser.js';
import { idOf, now } from './answers.js';
import { campaignId } from './campaigns.js';
import type { PersonName } from './people.js';
import { serveInvented } from './serve.js';
import { smallPng } from './small-png.js';

interface Picture {
  readonly name: string;
  readonly who: PersonName;
  readonly address: string;
  readonly isDark?: boolean;
  /** What is done on the page before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

const campaign = `/campaigns/${campaignId(2)}`;

const pictures: readonly Picture[] = [
  { name: '01-home-trader', who: 'tina', address: '/' },
  { name: '02-home-trader-dark', who: 'tina', address: '/', isDark: true },
  { name: '03-home-finance', who: 'fred', address: '/' },
  { name: '04-home-admin', who: 'adam', address: '/' },
  { name: '04-home-developer', who: 'pedal', address: '/' },
  {
    name: '05-ask-the-market',
    who: 'tina',
    address: `/ask?brand=pedal.example&campaign=${campaignId(2)}`,
    act: async (page) => {
      await page
        .getByLabel('Brief')
        .fill('Video for people who ride to work, United States, 22,000 USD, 1 December to 31 January');
      await page.getByLabel('Budget').fill('22,000');
      await page.getByRole('button', { name: /^Ask/ }).last().click();
      const compare = page.getByRole('button', { name: /^Compare/ });
      // A button that was pressed says "In compare", so the first of the others is the next.
      for (let at = 0; at < 3; at += 1) await compare.first().click();
      await page.evaluate('window.scrollTo(0, 0)');
    },
  },
  { name: '06-plan-budget-truth', who: 'tina', address: `/plans/${idOf(4, 6)}` },
  { name: '07-campaign', who: 'tina', address: campaign },
  { name: '08-campaign-dark', who: 'tina', address: campaign, isDark: true },
  { name: '09-buy', who: 'tina', address: '/buys/SY-2026-0412' },
  { name: '10-sellers', who: 'adam', address: '/sellers' },
  { name: '11-seller', who: 'adam', address: '/sellers/harbor' },
  { name: '13-reconcile', who: 'fred', address: `/reconcile/2026-10?at=${idOf(3, 14)}` },
  { name: '14-reconcile-dark', who: 'fred', address: `/reconcile/2026-10?at=${idOf(3, 14)}`, isDark: true },
  { name: '16-month-close', who: 'fred', address: '/close/2026-10' },
  { name: '19-people-and-roles', who: 'adam', address: '/people' },
  { name: '20-webhook-before-after', who: 'fred', address: `/webhooks/${idOf(2, 1)}` },
  {
    name: '21-command-palette',
    who: 'tina',
    address: campaign,
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('city b');
      await page.getByRole('option').first().waitFor();
    },
  },
];

const phones = ['01-home-trader', '03-home-finance', '07-campaign', '13-reconcile'];

/** Takes the pictures of the invented market into a folder, at 1440 px and some at 390 px too. */
export async function takeInvented(into: string, only = ''): Promise<readonly string[]> {
  const folder = resolve(into);
  mkdirSync(folder, { recursive: true });
  const server = await serveInvented();
  const said: string[] = [];
  try {
    for (const width of [1440, 390])
      for (const isDark of [false, true]) {
        const wanted = pictures.filter(
          (one) =>
            (one.isDark ?? false) === isDark &&
            one.name.includes(only) &&
            (width === 1440 || phones.includes(one.name)),
        );
        if (wanted.length === 0) continue;
        const height = width === 1440 ? 900 : 844;
        const window = await openWindow({ scheme: isDark ? 'dark' : 'light', width, height });
        try {
          await window.page.clock.setFixedTime(now);
          for (const one of wanted)
            await take(window.page, server.url, one, join(folder, fileOf(one, width)));
          said.push(...window.complaints);
        } finally {
          await window.close();
        }
      }
    return [...said, ...[...server.missing].map((route) => `nothing is invented for ${route}`)];
  } finally {
    await server.stop();
  }
}

const fileOf = ({ name }: Picture, width: number): string => `${name}${width === 390 ? '-390' : ''}.png`;

async function take(page: Page, url: string, { who, address, act }: Picture, path: string): Promise<void> {
  await page.context().addCookies([{ name: 'who', value: who, url }]);
  await page.goto(`${url}/console${address}`);
  await settled(page);
  await act?.(page);
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
  writeFileSync(path, smallPng(await page.screenshot()));
}
