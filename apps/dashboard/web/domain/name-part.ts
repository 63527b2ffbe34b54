const MARKS = /\p{M}/gu;

/** Whether a name holds what was typed, whatever its case and its accents: nobody types them for a search. */
export function hasPart(name: string, part: string): boolean {
  return folded(name).includes(folded(part));
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase();
}
