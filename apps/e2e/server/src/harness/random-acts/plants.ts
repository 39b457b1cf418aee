import type { Plant } from './plant.js';

/** The faults that random acts must find. None of them is in shipped code: each is put into a copy. */
export const plants: readonly Plant[] = [
  {
    name: 'commitment freed on cancel',
    what: 'in the bundle: what a buy commits is freed when it is canceled, not at the final report of its seller',
    bundle: { text: '(part.isEnded||', by: '(part.isEnded||part.status==="canceled"||' },
    finds: { invariant: 'money above the limit', acts: ['create buy', 'buy twice at once'] },
  },
  {
    name: 'move not judged',
    what: 'in the bundle: a buy that moves to a campaign or a client is held against no limit there',
    bundle: { text: 'targeted=["client","campaign"]', by: 'targeted=[]' },
    finds: { invariant: 'money above the limit', acts: ['move buy', 'enter brand'] },
  },
  {
    name: 'program scope too wide',
    what: 'in the bundle: the scope people:write lets a program grant roles',
    bundle: {
      text: 'people:{read:{principals:["read"],delegations:["read"]},write:{}}',
      by: 'people:{read:{principals:["read"],delegations:["read"]},write:{principals:["write"]}}',
    },
    finds: { invariant: 'program', acts: ['grant role', 'make agent', 'edit role', 'take token'] },
  },
];
