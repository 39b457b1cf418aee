/** Filters as a row of buttons, each with its count. One of them holds. */
export function Chips({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly title: string; readonly count?: number }[];
  readonly onChange: (value: string) => void;
}) {
  return (
    <div className="chips" role="group" aria-label={label}>
      {options.map(({ value: own, title, count }) => (
        <button key={own} type="button" aria-pressed={own === value} onClick={() => onChange(own)}>
          {title}
          {count !== undefined && <span className="count"> {count}</span>}
        </button>
      ))}
    </div>
  );
}
