const SHOWN_DIGITS = 6;

/** A measured number: six digits are shown, and the whole of it stands in the page for whoever copies or reads it. */
export function FigureValue({ value }: { readonly value: number }) {
  const text = value.toLocaleString('en', { maximumSignificantDigits: SHOWN_DIGITS });
  return (
    <data value={String(value)} title={String(value)}>
      {text.replace('-', '\u2212')}
    </data>
  );
}
