import { type MintedBody, MINTED_BODY } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';

/** @throws UnreadableError for a body that no gateway sends: a client cannot cause it */
export function mintedBodyOf({ body }: ResourceCommand): MintedBody {
  const minted = MINTED_BODY.read(body);
  if (!minted.ok) throw new UnreadableError(minted.error);
  return minted.value;
}
