/** What a list offers: values, or words by value. */
export function Options<Value extends string>({
  of,
  words = (value) => value,
  none,
}: {
  readonly of: readonly Value[] | Readonly<Record<string, string>>;
  readonly words?: (value: Value) => string;
  /** What stands for no choice. */
  readonly none?: string;
}) {
  const offered = isList(of) ? of.map((value) => [value, words(value)] as const) : Object.entries(of);
  return (
    <>
      {none !== undefined && <option value="">{none}</option>}
      {offered.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </>
  );
}

function isList<Value>(of: readonly Value[] | object): of is readonly Value[] {
  return Array.isArray(of);
}
