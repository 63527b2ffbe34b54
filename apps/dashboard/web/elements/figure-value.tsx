import { figureText } from '../domain/figure-text.js';

/** A measured number: six digits are shown, and the whole of it stands in the page for whoever copies or reads it. */
export function FigureValue({ value }: { readonly value: number }) {
  return (
    <data value={String(value)} title={String(value)}>
      {figureText(value)}
    </data>
  );
}
