import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@switchyard/testing';
import pg from 'pg';
import { dataFolder, ownerUrlOf } from '../data-folder.js';
import { ownerView } from '../database.js';
import { generousRates } from '../generous-rates.js';
import { startInstance } from '../instance.js';
import { sandboxMarket } from '../sandbox-market.js';
import { plantedBin, type Plant } from './plant.js';
import type { StageOf } from './stage.js';
import { makeWorld, sellers } from './world.js';

/** One built server with its database and its market, in which any number of worlds are made. */
export interface Theatre {
  /** Makes a fresh world: two organizations of this seed. */
  open(seed: number): Promise<StageOf>;
  close(): Promise<void>;
}

/** Sellers answer at once here, and a person at a seller takes half a second. */
const marketScale = 0.2;

/** Starts the built server; with a plant it is a copy that has that fault. */
export async function startTheatre(plant?: Plant): Promise<Theatre> {
  const folder = dataFolder();
  const bin = plant && plantedBin(plant.bundle);
  const instance = await startInstance(folder.path, ['--no-sandbox'], generousRates, bin?.path);
  const market = await sandboxMarket(join(folder.path, 'market'), sellers, { scale: marketScale });
  const view = await ownerView(folder.path);
  const owner = new pg.Client(ownerUrlOf(folder.path));
  await owner.connect();
  const secret = readFileSync(join(folder.path, 'admin.secret'), 'utf8').trim();
  return {
    open: async (seed) => ({
      ...{ url: instance.url, view, market },
      nudge: async (sql, values) => {
        await owner.query(sql, [...values]);
      },
      world: await makeWorld(instance, secret, market, seededRandom(seed)),
    }),
    close: async () => {
      await owner.end();
      await view.close();
      await market.stop();
      await instance.stop();
      await folder.remove();
      bin?.remove();
    },
  };
}
