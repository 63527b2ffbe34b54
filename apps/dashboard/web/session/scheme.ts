const KEY = 'truetally:scheme';

/** The reader's choice of colours; `theme.js` reads the same key before the first paint. */
export function readScheme(): string {
  return document.documentElement.dataset['scheme'] ?? 'system';
}

export function writeScheme(scheme: string): void {
  const root = document.documentElement;
  if (scheme === 'system') delete root.dataset['scheme'];
  else root.dataset['scheme'] = scheme;
  try {
    if (scheme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, scheme);
  } catch {
    // A browser that refuses storage forgets it with the page.
  }
}
