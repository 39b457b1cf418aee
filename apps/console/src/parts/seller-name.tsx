import { Avatar } from './avatar.js';
import { Go } from './go.js';
import { Name } from './name.js';
import { usePages } from './use-pages.js';
import { useMay } from './use-rows.js';

/** The names of sellers by their short names, for whoever may read sellers. Others see the short name. */
export function useSellerNames(): (slug: string) => string {
  const { rows } = usePages('GET /v1/sellers', 'sellers', {}, useMay()('sellers.read'));
  return (slug) => {
    const name = rows.find((seller) => seller.slug === slug)?.name ?? '';
    return name === '' ? slug : name;
  };
}

/** A seller by its name, with its monogram. */
export function SellerName({
  of: slug,
  size = 22,
  isLink = false,
}: {
  readonly of: string | null | undefined;
  readonly size?: number;
  readonly isLink?: boolean;
}) {
  const nameOf = useSellerNames();
  if (slug === null || slug === undefined || slug === '') return <span>–</span>;
  const name = <Name of={nameOf(slug)} most={60} />;
  return (
    <span className="with-avatar">
      <Avatar of={nameOf(slug)} size={size} />
      {isLink ? <Go to={`/sellers/${encodeURIComponent(slug)}`}>{name}</Go> : name}
    </span>
  );
}
