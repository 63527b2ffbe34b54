import { createServer } from 'node:http';

/** The shop's CRM on this machine: it notes what it is told, but while it is away. */
export interface WebhookReceiver {
  readonly url: string;
  isAway: boolean;
}

/** It ends when `stopped` resolves. @param port 0 is a free one */
export async function receiveWebhooks(port: number, stopped: Promise<unknown>): Promise<WebhookReceiver> {
  const receiver = { url: '', isAway: false };
  const server = createServer((message, response) => {
    message.resume().once('end', () => {
      if (receiver.isAway) response.writeHead(503).end('The CRM is being updated.');
      else response.end('noted');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  void stopped.then(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  receiver.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}/crm`;
  return receiver;
}
