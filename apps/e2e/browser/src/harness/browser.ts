import { existsSync } from 'node:fs';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';

/** A browser window of one person, with its own cookies and storage and the errors of its pages. */
export interface Window {
  readonly page: Page;
  /** Errors on the console, exceptions and violations of the content security policy, each with its URL. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** Maximum time of every wait in a browser, in milliseconds. */
export const grace = 60_000;

export interface Appearance {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** The browser of the open windows: a start costs more than most pages. It ends with the last window. */
let browser: Promise<Browser> | undefined;
let windows = 0;

/** The browser without what shows windows needs two thirds of the processor time: it is taken where it is installed. */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? programs.find(existsSync) ?? 'chromium',
    headless: true,
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
}

async function leave(): Promise<void> {
  windows -= 1;
  if (windows > 0) return;
  const last = browser;
  browser = undefined;
  await (await last)?.close();
}

export async function openWindow({
  scheme = 'light',
  width = 1280,
  height = 900,
}: Appearance = {}): Promise<Window> {
  windows += 1;
  const context = await (browser ??= launch())
    .then((running) =>
      running.newContext({
        colorScheme: scheme,
        reducedMotion: 'reduce',
        viewport: { width, height },
        acceptDownloads: true,
      }),
    )
    .catch(async (error: unknown) => {
      await leave().catch(() => undefined);
      throw error;
    });
  context.setDefaultTimeout(grace);
  const page = await context.newPage();
  const complaints: string[] = [];
  const add = (text: string): void => void complaints.push(`${new URL(page.url()).pathname}: ${text}`);
  page.on('pageerror', (error) => add(error.message));
  page.on('console', (message) => {
    // The browser also logs a refusal that a page shows as a resource that failed to load, such as 401 before sign-in.
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
      await leave();
    },
  };
}

/** Opens the link, confirms, and waits until the person is signed in. */
export async function signInBy(page: Page, link: string): Promise<void> {
  await useLink(page, link);
  await page.locator('#main').waitFor();
}

/** Opens the link and confirms that it shall sign in. */
async function useLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('heading', { name: 'Sign in with this link?' }).waitFor();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** A line of the menu; behind its name it may have a count. */
export function menuLine(page: Page, title: string): Locator {
  return page
    .getByRole('navigation', { name: 'Menu' })
    .getByRole('link', { name: new RegExp(`^${title}( \\S+)?$`) });
}

/** The heads of pages that are about a time: a day, a month. */
const headings: Readonly<Record<string, RegExp>> = {
  Home: /^Good (morning|afternoon|evening), /,
  Reconcile: /^Reconcile \w+ \d{4}/,
  'Month close': /^Close \w+ \d{4}/,
  // Lines of an agent's own menu, for pages that people know by another name.
  'What it may do': /^Brand agents$/,
  Calls: /^Brand agents$/,
};

/** Opens a page by its line in the menu, and one of its tabs. */
export async function openByMenu(page: Page, title: string, tab?: string): Promise<void> {
  await menuLine(page, title).click();
  const name = headings[title] ?? title;
  await page.getByRole('heading', { level: 1, name }).first().waitFor();
  if (tab === undefined) return;
  const tabs = page.getByRole('navigation', { name: `${title}: parts` });
  await tabs.getByRole('link', { name: tab, exact: true }).click();
  await tabs.locator('[aria-current=page]').getByText(tab, { exact: true }).waitFor();
}

/** Opens the page of one's own account. */
export async function openAccount(page: Page): Promise<void> {
  await page.locator('button.account').click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
}

/** Signs the person out. */
export async function signOut(page: Page): Promise<void> {
  await page.locator('button.account').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Waits until nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-label^="Loading"]').first().waitFor({ state: 'detached' });
}
