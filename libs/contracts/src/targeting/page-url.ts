/** A URL part to search for, with the hash of its last three characters. */
export interface UrlPart {
  readonly text: string;
  /** Undefined for a shorter part. */
  readonly ending: number | undefined;
}

const ENDING_LENGTH = 3;
const HASHES = 2 ** 15;

export function urlPart(text: string): UrlPart {
  const ending = text.length < ENDING_LENGTH ? undefined : hashAt(text, text.length - ENDING_LENGTH);
  return { text, ending };
}

/**
 * A page's URL that is searched for many parts: up to 50,000 for a site at its limits. Its character trigrams
 * are indexed first, so that nearly every part that it does not contain costs one look-up instead of a
 * search.
 */
export class PageUrl {
  private noted: Uint8Array | undefined;

  constructor(private readonly text: string) {}

  holds({ text, ending }: UrlPart): boolean {
    this.noted ??= this.note();
    return (ending === undefined || this.noted[ending] === 1) && this.text.includes(text);
  }

  private note(): Uint8Array {
    const noted = new Uint8Array(HASHES);
    for (let index = 0; index + ENDING_LENGTH <= this.text.length; index++)
      noted[hashAt(this.text, index)] = 1;
    return noted;
  }
}

function hashAt(text: string, index: number): number {
  return (
    (text.charCodeAt(index) * 961 + text.charCodeAt(index + 1) * 31 + text.charCodeAt(index + 2)) % HASHES
  );
}
