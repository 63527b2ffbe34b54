import type { WorkflowRecord } from '@truetally/contracts/facts';
import { compileConditions, type Predicate } from './compile-conditions.js';

/** A workflow as facts are matched with it. */
export interface CompiledWorkflow {
  readonly record: WorkflowRecord;
  readonly holds: Predicate;
  readonly effectiveFromMs: number;
}

type ByType = Map<string, Map<string, CompiledWorkflow>>;

const NONE: readonly CompiledWorkflow[] = [];

/** Every workflow by id, and the enabled ones by site and type: a fact is compared with those of its own site and type alone. */
export class WorkflowIndex {
  private readonly byId = new Map<string, CompiledWorkflow>();
  private readonly bySite = new Map<string, ByType>();
  private readonly sites = new Set<string>();

  get size(): number {
    return this.byId.size;
  }

  get(workflowId: string): WorkflowRecord | undefined {
    return this.byId.get(workflowId)?.record;
  }

  compiled(workflowId: string): CompiledWorkflow | undefined {
    return this.byId.get(workflowId);
  }

  records(): readonly WorkflowRecord[] {
    return [...this.byId.values()].map(({ record }) => record);
  }

  /** Whether a site has enabled workflows, or has had some: what is decided by it is not decided the other way later. */
  hasHadSite(siteId: string): boolean {
    return this.sites.has(siteId);
  }

  /** Enabled workflows of a site that are triggered by a type. */
  triggeredBy(siteId: string, type: string): readonly CompiledWorkflow[] {
    const found = this.bySite.get(siteId)?.get(type);
    return found === undefined ? NONE : [...found.values()];
  }

  /** Replaces the workflow. */
  set(record: WorkflowRecord): CompiledWorkflow {
    this.delete(record.workflow_id);
    const compiled: CompiledWorkflow = {
      record,
      holds: compileConditions(record),
      effectiveFromMs: Date.parse(record.effective_from),
    };
    this.byId.set(record.workflow_id, compiled);
    if (!record.enabled) return compiled;
    const types: ByType = this.bySite.get(record.site_id) ?? new Map<string, Map<string, CompiledWorkflow>>();
    this.bySite.set(record.site_id, types);
    this.sites.add(record.site_id);
    for (const type of record.event_types) {
      const workflows = types.get(type) ?? new Map<string, CompiledWorkflow>();
      types.set(type, workflows.set(record.workflow_id, compiled));
    }
    return compiled;
  }

  delete(workflowId: string): void {
    const known = this.byId.get(workflowId);
    if (known === undefined) return;
    this.byId.delete(workflowId);
    const { site_id: siteId, event_types: eventTypes } = known.record;
    const types = this.bySite.get(siteId);
    for (const type of eventTypes) {
      const workflows = types?.get(type);
      workflows?.delete(workflowId);
      if (workflows?.size === 0) types?.delete(type);
    }
    if (types?.size === 0) this.bySite.delete(siteId);
  }
}
