import { type MintedBody, readMintedBody } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';

/** @throws UnreadableError when it is not what a gateway sends: no client can cause that */
export function mintedBodyOf({ body }: ResourceCommand): MintedBody {
  const minted = readMintedBody(body);
  if (!minted.ok) throw new UnreadableError(minted.error);
  return minted.value;
}
