const KEY = 'truetally:workspace';

/** The workspace that this browser has shown last. Whoever signs in next may not be its member. */
export function readLastWorkspace(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

export function noteLastWorkspace(id: string): void {
  try {
    localStorage.setItem(KEY, id);
  } catch {
    // A browser that refuses storage begins with the newest.
  }
}
