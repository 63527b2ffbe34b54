import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { deleteWorkspace } from '../delete-workspace/delete-workspace.js';
import { logged } from '../audit-log/logged.js';
import { administerWorkspace } from './administer-workspace.js';
import { createWorkspace } from './create-workspace.js';
import { listWorkspaces } from './list-workspaces.js';
import { readWorkspace } from './read-workspace.js';
import { updateWorkspace } from './update-workspace.js';

export const workspacesAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createWorkspace: command(createWorkspace),
  listWorkspaces: query(listWorkspaces),
  readWorkspace: query(readWorkspace),
  updateWorkspace: command(logged(updateWorkspace)),
  deleteWorkspace: command(deleteWorkspace),
  administerWorkspace: command(administerWorkspace),
});
