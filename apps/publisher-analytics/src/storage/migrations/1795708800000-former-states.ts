import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A settlement's current state is written once, in `settlements`; a trigger adds it to the history when a newer one
 * replaces it. No update can therefore lose a state, and a new settlement costs one row. States are
 * compared by their content, so that no fingerprint is kept; the previous version still writes it.
 */
export class FormerStates1795708800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query('select quote_ident(current_schema()) as schema');
    const { schema } = (rows as [{ schema: string }])[0];
    await runner.query(FORMER_STATES.replaceAll('{schema}', schema));
  }

  /** Migrations only go forward: going back would lose current states. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}

const STATE = `settlement_id, order_reference, reference_hash, status, currency, commissionable, commission,
    transaction_at, updated_at, recorded_at`;

/** The previous version adds the current state itself, which is there already when it is replaced. */
const FORMER_STATES = `
  alter table settlements alter column fingerprint drop not null;
  alter table settlement_states alter column fingerprint drop not null;
  alter table settlement_states drop constraint settlement_states_settlement_id_fkey;

  create function keep_former_states() returns trigger language plpgsql as $$
  begin
    insert into {schema}.settlement_states (${STATE}) select ${STATE} from former on conflict do nothing;
    return null;
  end $$;
  create trigger former_states after update on settlements referencing old table as former
    for each statement execute function keep_former_states();
  create trigger newer_states_only before update on settlements
    for each row when (new.updated_at <= old.updated_at) execute function refuse_change();
  revoke execute on function keep_former_states() from public`;
