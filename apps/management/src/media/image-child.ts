import type { PictureReply, PictureRequest } from './picture-message.js';
import { reencode } from './reencode.js';

/**
 * The image process: it decodes untrusted files without a database, credential or socket, so that an
 * exhausted memory or a broken decoder ends only this process. One request at a time, over its channel.
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
