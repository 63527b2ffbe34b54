import { createHmac } from 'node:crypto';

/**
 * The name of a picture's file: its content, as one workspace has it. The same picture of another workspace has another
 * name, so that nobody learns from an address, or from what is left behind it after a deletion, who else has the picture.
 * @param sha256 of the file, hex
 * @returns hex of the same length
 */
export function nameWithin(workspaceId: string, sha256: string): string {
  return createHmac('sha256', workspaceId).update(sha256, 'hex').digest('hex');
}
