import { spawnSync } from 'node:child_process';

/** Prints every loaded module on a line of its own. */
const hooks =
  'export async function load(url,context,next){process._rawDebug(`loaded ${url}`);return next(url,context)}';
const listening = `import{register}from"node:module";register(${JSON.stringify(inUrl(hooks))})`;

function inUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** The URLs of all modules that a run of Node.js with these arguments imports, from start to end. */
export function modulesLoadedBy(args: readonly string[], folder: string): readonly string[] {
  const { stderr } = spawnSync(process.execPath, [`--import=${inUrl(listening)}`, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return [...stderr.matchAll(/^loaded (\S+)$/gm)].map(([, url = '']) => url);
}
