// Files dropped anywhere on the page. Text is left to what it is dropped on.

export interface Dropped {
  readonly file: File | null;
  /** The names of the other files, which are not taken. */
  readonly others: readonly string[];
  readonly folders: readonly string[];
}

/** The first file is taken. */
export function dropped({ items }: Pick<DataTransfer, 'items'>): Dropped {
  const files: File[] = [];
  const folders: string[] = [];
  for (const item of items) {
    const file = item.kind === 'file' ? item.getAsFile() : null;
    if (!file) continue;
    if (item.webkitGetAsEntry?.()?.isDirectory) folders.push(file.name);
    else files.push(file);
  }
  const [file = null, ...others] = files;
  return { file, others: others.map(({ name }) => name), folders };
}

/** `panel` is shown while a file hovers over the page. */
export function onFileDrop(panel: HTMLElement, take: (dropped: Dropped) => void): void {
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
    show(false);
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    take(dropped(event.dataTransfer));
  });
}
