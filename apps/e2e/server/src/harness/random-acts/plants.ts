import type { Plant } from './plant.js';

/** The faults that random acts must find. None of them is in shipped code: each is put into a copy, or a test's database. */
export const plants: readonly Plant[] = [
  {
    name: 'commitment freed on cancel',
    what: 'in the database: what a buy commits is freed when its seller confirms the cancellation, not at its final report',
    sql: `
      create function planted_release() returns trigger language plpgsql security definer as $$
      begin
        update spend_commitment set state = 'released'
        where media_buy_id = new.media_buy_id and seller = new.seller and state = 'committed';
        return null;
      end $$;
      create constraint trigger planted_release after update on seller_buy deferrable initially deferred
        for each row when (new.status = 'canceled' and old.status <> 'canceled') execute function planted_release();`,
    finds: 'money above the limit',
  },
  {
    name: 'move not judged',
    what: 'in the bundle: a buy that moves to a campaign or a client is held against no limit there',
    bundle: { text: 'targeted=["client","campaign"]', by: 'targeted=[]' },
    finds: 'money above the limit',
  },
  {
    name: 'program scope too wide',
    what: 'in the bundle: the scope people:write lets a program grant roles',
    bundle: {
      text: 'people:{read:{principals:["read"],delegations:["read"]},write:{}}',
      by: 'people:{read:{principals:["read"],delegations:["read"]},write:{principals:["write"]}}',
    },
    finds: 'program',
  },
];
