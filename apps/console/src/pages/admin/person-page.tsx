import { useParams } from '@tanstack/react-router';
import { EmptyState } from '../../parts/empty-state.js';
import { Go } from '../../parts/go.js';
import { Loaded } from '../../parts/loaded.js';
import { Name } from '../../parts/name.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { Panel } from '../../parts/panel.js';
import { StatusBadge } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { AddLimit } from './limits.js';
import { MaySpend, PersonDevices, PersonFacts, PersonRoles } from './person.js';
import { RoleMatrix, titleOf } from './role-matrix.js';
import type { Principal } from './role-fields.js';

/** One person or program: what it may do and spend, where it is signed in, and what was done with it. */
export function PersonPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const query = useAnswer('GET /v1/principals', { query: { principal: id } });
  return (
    <Loaded title="Person" query={query}>
      {({ principals: [principal] }) =>
        principal === undefined ? (
          <EmptyState title="There is nobody with this id">
            <Go to="/people">All people and programs</Go>
          </EmptyState>
        ) : (
          <Shown principal={principal} />
        )
      }
    </Loaded>
  );
}

function Shown({ principal }: { readonly principal: Principal }) {
  const tab = useTab();
  const may = useMay();
  const { name, kind, grants = [], revoked_at: revokedAt, principal_id: id } = principal;
  const roles = [...new Set(grants.map(({ role }) => role))];
  return (
    <>
      <ObjectHead
        name={name}
        avatar={name}
        isPerson={kind === 'person'}
        pill={
          <StatusBadge
            of={revokedAt === undefined ? 'Active' : 'Revoked'}
            tone={revokedAt === undefined ? 'good' : 'bad'}
          />
        }
        facts={[
          kind,
          roles.length > 0 && roles.map(titleOf).join(', '),
          principal.brand_domain !== undefined && <Name key="brand" of={principal.brand_domain} most={60} />,
          <>
            since <Time at={principal.created_at} dateOnly />
          </>,
        ]}
        tabs={[
          { title: 'Access', count: grants.length },
          ...(may('ledger.read') ? [{ title: 'Limits' }] : []),
          { title: 'Devices', count: principal.tokens.length },
          { title: 'History' },
        ]}
      />
      {(tab === 'Access' || tab === 'Overview') && (
        <div className="columns people">
          <div className="column">
            <Panel title="Roles" about="and where each holds">
              <PersonRoles principal={principal} />
              <PersonRoles principal={principal} isToAdd />
            </Panel>
            <Panel title="Who it is">
              <PersonFacts principal={principal} />
            </Panel>
          </div>
          <div className="column">
            <Panel title="What a role may do" acts={<Go to="/people/roles">Roles</Go>} isFlush>
              <RoleMatrix shown={roles} />
            </Panel>
          </div>
        </div>
      )}
      {tab === 'Limits' && (
        <div className="column">
          <Panel
            title="May spend without asking"
            acts={<Go to="/limits">All limits</Go>}
            about="limits of its own and of each order"
          >
            <MaySpend id={id} />
            {kind === 'person' && (
              <p className="panel-small">
                A program that acts for a person has the limit that its person set when they let it in.
              </p>
            )}
          </Panel>
          {may('ledger.write') && revokedAt === undefined && <AddLimit holder={`principal:${id}`} />}
        </div>
      )}
      {tab === 'Devices' && (
        <Panel title="Devices, links and tokens" about="each can be ended">
          {principal.tokens.length === 0 && <p className="panel-small">It is signed in nowhere.</p>}
          <PersonDevices principal={principal} />
        </Panel>
      )}
      {tab === 'History' && <ObjectHistory id={id} />}
    </>
  );
}
