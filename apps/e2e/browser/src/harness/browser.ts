import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

/** A window of one person: a profile of its own, and what its pages complained of. */
export interface Window {
  readonly page: Page;
  /** Errors on the console, exceptions, and what the policy of content refused; with the address where it was. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** Every wait in a browser has this bound, in milliseconds: a person would have given up long before. */
export const grace = 60_000;

export interface Look {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

export async function openWindow({
  scheme = 'light',
  width = 1280,
  height = 900,
}: Look = {}): Promise<Window> {
  const profile = mkdtempSync(join(tmpdir(), 'switchyard-profile-'));
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    headless: true,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    viewport: { width, height },
    acceptDownloads: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  context.setDefaultTimeout(grace);
  const page = context.pages()[0] ?? (await context.newPage());
  const complaints: string[] = [];
  const add = (text: string): void => void complaints.push(`${new URL(page.url()).pathname}: ${text}`);
  page.on('pageerror', (error) => add(error.message));
  page.on('console', (message) => {
    // A refusal that a page shows is logged by the browser too, as a resource that was not loaded: 401 before one is in.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      add(message.text());
  });
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('policy of content: ' + violatedDirective + ' ' + blockedURI));`,
  });
  return {
    page,
    complaints,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Opens the link and waits until the person is inside. */
export async function signInBy(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: /^Sign out/ }).waitFor();
}

/** Opens a page by its entry in the menu. */
export async function openByMenu(page: Page, title: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: title }).first().waitFor();
}

/** Nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-label^="Loading"]').first().waitFor({ state: 'detached' });
}
