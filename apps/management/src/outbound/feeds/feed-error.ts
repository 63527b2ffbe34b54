/** Why a feed cannot be read to its end. */
export class FeedError extends Error {
  override readonly name = 'FeedError';

  /**
   * @param message for the merchant: nothing of our network, and no text of the feed's
   * @param isTemporary whether another attempt may succeed
   */
  constructor(
    message: string,
    readonly isTemporary = false,
  ) {
    super(message);
  }
}
