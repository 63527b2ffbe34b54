const PREFIX = 'truetally:draft:';

/**
 * A form in progress, kept over the redirect that a renewal may need. Bound to the user; never for a field that holds
 * a secret. Signing out removes it.
 */
export interface DraftPlace {
  readonly user: string;
  /** The form and what it belongs to. */
  readonly form: string;
}

export function keepDraft(place: DraftPlace, values: object): void {
  try {
    sessionStorage.setItem(keyOf(place), JSON.stringify(values));
  } catch {
    // No room for it: what is typed stays on the page alone, and can be sent from there.
  }
}

export function readDraft<T extends object>(place: DraftPlace): Partial<T> | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(place));
    return text === null ? undefined : (JSON.parse(text) as Partial<T>);
  } catch {
    return undefined;
  }
}

export function removeDraft(place: DraftPlace): void {
  sessionStorage.removeItem(keyOf(place));
}

function keyOf({ user, form }: DraftPlace): string {
  return `${PREFIX}${user}:${form}`;
}
