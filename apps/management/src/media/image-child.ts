import type { PictureReply, PictureRequest } from './picture-message.js';
import { reencode } from './reencode.js';

/**
 * The image process: what strangers sent is decoded here, without a database, a credential or a socket at hand, where
 * an exhausted memory or a broken decoder ends nothing but this process. One request at a time, over its channel.
 */
process.on('message', (request: PictureRequest) => {
  reencode(request).then(answer, (error: unknown) => {
    // A bug: the parent starts another process.
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  });
});

process.on('disconnect', () => process.exit(0));

function answer(reply: PictureReply): void {
  process.send?.(reply);
}
