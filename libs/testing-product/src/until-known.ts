import { eventually, request } from '@truetally/processes';

const UNAUTHORIZED = 401;
const CREATED = 201;
const OK = 200;

/** Waits until a gateway issues runtime tokens for the site; consumes no limit. */
export async function untilSiteIsKnown(baseUrl: string, siteId: string, origin: string): Promise<void> {
  await eventually(() => isSiteKnown(baseUrl, siteId, origin), {
    message: `${baseUrl} to know site ${siteId}`,
  });
}

/** Whether the gateway knows the site and allows this origin for it. */
export async function isSiteKnown(baseUrl: string, siteId: string, origin: string): Promise<boolean> {
  const json = { site_id: siteId };
  const { status } = await request(`${baseUrl}/runtime/tokens`, { json, headers: { origin } });
  return status === CREATED;
}

/** Waits until a gateway knows the key. This consumes one request of the key's hour. */
export async function untilKeyIsKnown(baseUrl: string, key: string): Promise<void> {
  await eventually(() => isKeyKnown(baseUrl, key), {
    message: `${baseUrl} to know a key`,
  });
}

/** A batch without events is refused with that error only if its key is valid. */
export async function isKeyKnown(baseUrl: string, key: string): Promise<boolean> {
  const json = { events: [] };
  const { status } = await request(`${baseUrl}/events/batch`, { json, headers: { 'x-api-key': key } });
  return status !== UNAUTHORIZED;
}

/**
 * Waits until a gateway lets the bearer of an ID token read the site. Each try consumes one request of the
 * workspace's limit.
 * @param workspaceId selects the workspace of a user with several
 */
export async function untilMemberIsKnown(
  baseUrl: string,
  idToken: string,
  siteId: string,
  workspaceId?: string,
): Promise<void> {
  const url = `${baseUrl}/partner-attribution/commission-rules?website_id=${siteId}`;
  const picked = workspaceId === undefined ? {} : { 'x-workspace-id': workspaceId };
  const headers = { authorization: `Bearer ${idToken}`, ...picked };
  await eventually(async () => (await request(url, { headers })).status === OK, {
    message: `${baseUrl} to know a member`,
  });
}
