import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { type Event, Truetally, type TruetallyOptions } from '../index.js';
import { ScriptedService } from './scripted-service.js';

export const API_KEY = 'ck_abcdefgh_0123456789012345678901234567890123456789abc';

/** What each test of a client has of its own: a service, a folder, and clients that are closed after it. */
export class ClientBench {
  service = new ScriptedService();
  folder = '';
  private clients: Truetally[] = [];

  /** Opened before and closed after each test of the suite that calls it. */
  static ofEach(): ClientBench {
    const bench = new ClientBench();
    beforeEach(async () => {
      bench.service = await new ScriptedService().start();
      bench.clients = [];
      bench.folder = mkdtempSync(join(tmpdir(), 'truetally-node-'));
    });
    afterEach(async () => {
      await Promise.all(bench.clients.map((client) => client.close(0)));
      await bench.service.stop();
      rmSync(bench.folder, { recursive: true, force: true });
    });
    return bench;
  }

  newClient(options: Partial<TruetallyOptions> = {}): Truetally {
    const client = new Truetally({
      apiKey: API_KEY,
      baseUrl: this.service.baseUrl,
      closeOnSignals: false,
      ...options,
    });
    this.clients.push(client);
    return client;
  }
}

export function event(id: string, type = 'page_view'): Event {
  return {
    event_type: type,
    session_id: 's-1',
    client_event_id: id,
    context: { page_url: 'https://shop.example/', user_agent: 'shop' },
  } as Event;
}
