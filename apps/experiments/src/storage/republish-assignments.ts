import type { AssignedSessionFact } from '@truetally/contracts/facts';
import { type AskedAgain, republishTable } from '@truetally/service';
import { assignedFact } from './assignment.store.js';

const SELECT = `
  select t.assignment_id, t.experiment_id, t.site_id, t.session_id, t.variant, e.campaign_ids, t.provider, t.device,
    to_char(t.assigned_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as assigned_at
  from assignments t join experiments e using (experiment_id)`;

/** Publishes assignments again; those of an erased person without their session. @returns how many */
export function republishAssignments(asked: AskedAgain): Promise<number> {
  return republishTable<AssignedSessionFact>(asked, {
    table: 'assignments',
    select: SELECT,
    storedAt: 'assigned_at',
    factsOf: (fact) => [assignedFact(fact)],
  });
}
