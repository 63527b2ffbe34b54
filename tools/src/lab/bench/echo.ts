import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The floor for HTTP: reads and parses the body, answers a small envelope. `node echo.js` prints its port. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { event_type?: string };
    const text = JSON.stringify({ success: true, data: { event_type: body.event_type } });
    response.writeHead(201, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
