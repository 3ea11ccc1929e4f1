// Files dropped anywhere on the page.

/** `panel` is shown while a file hovers over the page. */
export function onFileDrop(panel: HTMLElement, take: (file: File) => void): void {
  const show = (hovers: boolean): void => {
    panel.hidden = !hovers;
  };
  document.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    show(true);
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) show(false);
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    show(false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) take(file);
  });
}
