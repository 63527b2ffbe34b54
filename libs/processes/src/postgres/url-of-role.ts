/** The same database, with another role. */
export function urlOfRole(databaseUrl: string, role: string, password: string): string {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = password;
  return url.href;
}
