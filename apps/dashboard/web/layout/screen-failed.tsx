import type { ErrorComponentProps } from '@tanstack/react-router';
import { Problem } from '../elements/problem.js';
import { Screen } from './screen.js';

/** In place of a screen whose code cannot be had, or that has failed: everything around it stays. */
export function ScreenFailed({ error }: ErrorComponentProps) {
  return (
    <Screen title="This screen cannot be shown">
      <Problem error={error} onRetry={() => location.reload()} />
    </Screen>
  );
}
