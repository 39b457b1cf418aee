import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/testing';
import { signal } from './processes.js';
import { waitUntil } from './wait-until.js';

const docker = join(import.meta.dirname, '../../../../../docker');

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export interface Prometheus {
  /** The answer to an expression now. Rejects if Prometheus cannot read it. */
  query(expression: string): Promise<readonly Sample[]>;
  /** The loaded rules, each with its health: `ok`, `unknown` before its first run, `err`. */
  rules(): Promise<readonly { readonly name: string; readonly health: string }[]>;
  close(): Promise<void>;
}

/** A real Prometheus that reads a page of metrics each second, with the alert rules of this repository. */
export async function startPrometheus(target: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-prometheus-'));
  const port = await freePort();
  const { host } = new URL(target);
  // JSON is YAML too.
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(docker, 'prometheus/alerts.yml')],
    scrape_configs: [{ job_name: 'switchyard', static_configs: [{ targets: [host] }] }],
  };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(configuration));
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const read = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const body = (await answer.json()) as { readonly data?: T; readonly error?: string };
    if (body.data === undefined) throw new Error(body.error ?? `Prometheus answered ${answer.status}.`);
    return body.data;
  };
  const query: Prometheus['query'] = async (expression) => {
    const { result } = await read<{ readonly result: readonly Sample[] }>(
      `query?query=${encodeURIComponent(expression)}`,
    );
    return result;
  };
  await waitUntil('Prometheus has read two pages', async () => {
    const samples = await query('count_over_time(up{job="switchyard"}[1m])').catch(() => []);
    return samples.some(({ value }) => Number(value[1]) > 2) ? true : undefined;
  });
  return {
    query,
    rules: async () => {
      const { groups } = await read<{
        readonly groups: readonly { readonly rules: Awaited<ReturnType<Prometheus['rules']>> }[];
      }>('rules');
      return groups.flatMap((group) => group.rules);
    },
    close: async () => {
      if (child.pid !== undefined) signal(child.pid, 'SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Each expression of the dashboards, with the title of its panel. */
export function dashboardExpressions(): readonly { readonly title: string; readonly expr: string }[] {
  const folder = join(docker, 'grafana');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const { panels } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
        readonly panels: readonly {
          readonly title: string;
          readonly targets: readonly { readonly expr: string }[];
        }[];
      };
      return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
    });
}
