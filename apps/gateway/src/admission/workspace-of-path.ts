import { NO_WORKSPACE } from '@truetally/contracts/management';
import { UUID } from '@truetally/kernel';
import type { Exchange } from '../http/exchange.js';

const PARAMETER = ':workspace_id';

/** The workspace in the request's path, in lower case; `NO_WORKSPACE` for an invalid id. */
export function workspaceOfPath({ path, route }: Exchange): string {
  const position = route?.path.split('/').indexOf(PARAMETER) ?? -1;
  const id = (position < 0 ? undefined : path?.split('/')[position])?.toLowerCase() ?? '';
  return UUID.test(id) ? id : NO_WORKSPACE;
}
