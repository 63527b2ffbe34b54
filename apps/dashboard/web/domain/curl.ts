/** A command that sends this with a site's key. */
export function curlOf(url: string, key: string, body: object): string {
  return [
    `curl -X POST '${url}'`,
    `-H 'X-API-Key: ${key}'`,
    `-H 'Content-Type: application/json'`,
    // A quote would end the command's text: JSON writes it as well without one.
    `-d '${JSON.stringify(body).replaceAll("'", '\\u0027')}'`,
  ].join(' \\\n  ');
}
