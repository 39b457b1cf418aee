import { Anchor, Group } from '@mantine/core';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { choice, text, useForm } from '../../parts/forms/use-form.js';
import { clean, Name } from '../../parts/name.js';
import { NoneYet } from '../../parts/none-yet.js';
import { FactList, Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { spanText } from './sellers.js';

type Seller = Answer<'GET /v1/sellers/{slug}'>;
type Contact = Answer<'GET /v1/contacts'>['contacts'][number];
type Purpose = Contact['purpose'];

const purposes: Readonly<Record<Purpose, string>> = {
  sales: 'Sales',
  billing: 'Billing',
  technical: 'Technical',
  other: 'Other',
};

/** Whom people reach at a seller, for one purpose or all. */
export function useContacts(seller: string, purpose?: Purpose) {
  return useAnswer(
    'GET /v1/contacts',
    { query: { seller, ...(purpose !== undefined && { purpose }) } },
    useMay()('sellers.read'),
  );
}

/** A name, an address and a number, as links where a program can open them. */
export function Reach({ of: { name, email, phone } }: { readonly of: Contact }) {
  return (
    <>
      {email !== undefined && (
        <Anchor size="sm" href={`mailto:${email}`}>
          {clean(email, 254)}
        </Anchor>
      )}
      {phone !== undefined && (
        <div>
          <Anchor size="sm" href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>
            {clean(phone, 40)}
          </Anchor>
        </div>
      )}
      {name !== undefined && (
        <Quiet>
          <Name of={name} most={80} />
        </Quiet>
      )}
    </>
  );
}

/** Whom people reach at a seller, and how long its answers to disputes take. */
export function SellerContacts({ seller: { slug, figures } }: { readonly seller: Seller }) {
  const mayWrite = useMay()('sellers.write');
  const contacts = useContacts(slug);
  const rows = contacts.data?.contacts ?? [];
  const answered = figures.answered_disputes;
  return (
    <Panel title="Contacts" acts={mayWrite && <Enter slug={slug} />}>
      {rows.length === 0 && <NoneYet query={contacts}>Nobody is entered for this seller.</NoneYet>}
      <ul className="plain-list" aria-label="Contacts at the seller">
        {rows.map((contact) => (
          <li key={contact.contact_id}>
            <FactList of={{ [purposes[contact.purpose]]: <Reach of={contact} /> }} />
            {mayWrite && <Acts contact={contact} />}
          </li>
        ))}
      </ul>
      {answered !== undefined && (
        <FactList of={{ 'Disputes answered in': `${spanText(answered.average_hours * 60)} on average` }} />
      )}
    </Panel>
  );
}

const asked = {
  purpose: choice('For', purposes),
  name: text('Name', 'A person or a team', { maxLength: 200 }),
  email: text('E-mail', undefined, { maxLength: 254 }),
  phone: text('Telephone', 'As +44 20 7946 0000', { maxLength: 40 }),
};

const blockedBy = ({
  email,
  phone,
}: {
  readonly email: string;
  readonly phone: string;
}): string | undefined =>
  email.trim() === '' && phone.trim() === '' ? 'Enter an e-mail address or a telephone number.' : undefined;

function Enter({ slug }: { readonly slug: string }) {
  const form = useForm(asked);
  const add = async (): Promise<void> => {
    await api('POST /v1/sellers/{slug}/contacts', { params: { slug }, body: form.filled() });
    form.clear();
  };
  return (
    <ConfirmButton
      label="Add a contact"
      variant="default"
      done="The contact is entered."
      blocked={blockedBy(form.typed)}
      act={add}
    >
      {form.inputs()}
    </ConfirmButton>
  );
}

function Acts({ contact }: { readonly contact: Contact }) {
  const { contact_id: id, purpose, name = '', email = '', phone = '' } = contact;
  const form = useForm(asked, { purpose, name, email, phone });
  const about = clean(email || phone, 60);
  const change = async (): Promise<void> => {
    const body = { ...{ name: null, email: null, phone: null }, ...form.filled() };
    await api('POST /v1/contacts/{id}', { params: { id }, body });
    form.clear();
  };
  return (
    <Group gap="xs" mt={4} mb="sm">
      <ConfirmButton
        label="Edit"
        about={about}
        size="compact-xs"
        variant="default"
        done="The contact is changed."
        blocked={blockedBy(form.typed)}
        act={change}
      >
        {form.inputs()}
      </ConfirmButton>
      <ConfirmButton
        label="Remove"
        about={about}
        size="compact-xs"
        variant="default"
        done="The contact is removed."
        act={() => api('DELETE /v1/contacts/{id}', { params: { id } })}
      >
        Nobody sees {about} here any more. That it was entered and removed stays in the audit record.
      </ConfirmButton>
    </Group>
  );
}
