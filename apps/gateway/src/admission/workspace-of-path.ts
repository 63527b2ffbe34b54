import { NO_WORKSPACE } from '@truetally/contracts/management';
import type { Exchange } from '../http/exchange.js';

const PARAMETER = ':workspace_id';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The workspace that the request's path names, in lower case; `NO_WORKSPACE` where that is no id. */
export function workspaceOfPath({ path, route }: Exchange): string {
  const position = route?.path.split('/').indexOf(PARAMETER) ?? -1;
  const id = (position < 0 ? undefined : path?.split('/')[position])?.toLowerCase() ?? '';
  return UUID.test(id) ? id : NO_WORKSPACE;
}
