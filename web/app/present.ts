// Present: keys that begin it, lead through the stages of the square or the steps of the tour while it lasts, and end it.
import { scoreStages } from '../ui/screen';
import type { ViewState } from '../ui/state';
import { stepIds } from '../ui/tour';

/** Whether keys are text here. */
function isText(target: EventTarget | undefined): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

/** What a key that nothing else has taken asks for; null for nothing. */
export function presentKey(event: KeyboardEvent, { present, stage, tour }: ViewState): Partial<ViewState> | null {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return null;
  if (isText(event.composedPath()[0])) return null;
  if (event.key === 'p' || event.key === 'P') return { present: !present };
  if (!present) return null;
  if (event.key === 'Escape') return { present: false };
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (tour !== null) return by !== undefined && stepIds[tour - 1 + by] ? { tour: tour + by } : null;
  const next = by === undefined ? undefined : scoreStages[scoreStages.indexOf(stage) + by];
  return next ? { stage: next } : null;
}
