// Copies a text, also where the browser keeps its clipboard from pages: over plain http, or in a frame.
import { h } from './dom';

/** Whether it was copied. `button`: what was pressed; it keeps the focus, and stands where `.hidden` is known. */
export async function copyText(text: string, button: HTMLElement): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  const written = clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  return ((await written) ?? false) ? true : copySelected(text, button);
}

function copySelected(text: string, button: HTMLElement): boolean {
  const field = h('textarea', { readonly: true, class: 'hidden', 'aria-hidden': 'true' });
  field.value = text;
  button.after(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  button.focus({ preventScroll: true });
  return copied;
}
