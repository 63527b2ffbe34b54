/** A button that each row has: whoever hears it, or has a list of all buttons, is told of which row it is. */
export function RowButton({
  verb,
  row,
  onClick,
}: {
  readonly verb: string;
  /** What names the row. */
  readonly row: string;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" aria-label={`${verb} ${row}`} onClick={onClick}>
      {verb}
    </button>
  );
}
