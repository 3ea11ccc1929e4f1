// Files dropped anywhere on the page.

/** `show` is told whether a file hovers over the page. */
export function onFileDrop(show: (hovers: boolean) => void, take: (file: File) => void): void {
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
