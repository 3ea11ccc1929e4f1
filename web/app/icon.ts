// The page's icon from memory: browsers ask for it again whenever the address changes, which typing does too.
import drawing from '../icon.svg?raw';

export function iconFromMemory(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (link) link.href = URL.createObjectURL(new Blob([drawing], { type: 'image/svg+xml' }));
}
