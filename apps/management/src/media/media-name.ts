import { createHmac } from 'node:crypto';

/**
 * The name of a picture's file, derived from its content and workspace. The same picture in another workspace
 * has another name, so that URLs, and remains of deletions, do not reveal who else has the picture.
 * @param sha256 of the file, hex
 * @returns hex of the same length
 */
export function nameWithin(workspaceId: string, sha256: string): string {
  return createHmac('sha256', workspaceId).update(sha256, 'hex').digest('hex');
}
