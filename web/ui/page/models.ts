// The models that the page knows, and the one that is open. A model that fails to open leaves the open one as it was.
import type { Engine, LoadProgress, ModelSource, OpenEngine } from '../../engine/api';

export interface KnownModel {
  readonly id: string;
  readonly name: string;
  /** Relative to the manifest. */
  readonly url: string;
  readonly size: number;
}

export interface OpenModel {
  readonly id: string;
  readonly name: string;
  readonly engine: Engine;
}

const isModel = (entry: unknown): entry is KnownModel =>
  typeof entry === 'object' &&
  entry !== null &&
  ['id', 'name', 'url'].every((key) => typeof (entry as Record<string, unknown>)[key] === 'string');

export class Models {
  readonly #open: OpenEngine;
  readonly #manifest: string;
  #known: readonly KnownModel[] = [];
  #files = new Map<string, File>();
  #current: OpenModel | null = null;
  #wanted = '';

  constructor(open: OpenEngine, manifest: string) {
    this.#open = open;
    this.#manifest = manifest;
  }

  get current(): OpenModel | null {
    return this.#current;
  }

  async readManifest(): Promise<void> {
    const response = await fetch(this.#manifest);
    if (!response.ok) throw new Error(`${this.#manifest}: HTTP status ${response.status}`);
    const entries: unknown = await response.json();
    if (!Array.isArray(entries)) throw new Error(`${this.#manifest}: expected a list`);
    this.#known = entries.filter(isModel);
  }

  /** A file that the user picked or dropped; its id serves until the page is closed. */
  addFile(file: File): string {
    const id = `file:${file.name}`;
    this.#files.set(id, file);
    return id;
  }

  choices(id: string): readonly { id: string; name: string }[] {
    const listed = this.#known.map((model) => ({ id: model.id, name: model.name }));
    const files = [...this.#files].map(([key, file]) => ({ id: key, name: file.name }));
    const all = [...listed, ...files];
    return all.some((choice) => choice.id === id) ? all : [...all, { id, name: this.name(id) }];
  }

  name(id: string): string {
    const known = this.#known.find((model) => model.id === id);
    return known?.name ?? this.#files.get(id)?.name ?? decodeURIComponent(id.split('/').at(-1) ?? id);
  }

  #source(id: string): ModelSource {
    const file = this.#files.get(id);
    if (file) return { kind: 'file', file };
    const known = this.#known.find((model) => model.id === id);
    const url = known ? new URL(known.url, this.#manifest) : new URL(id, document.baseURI);
    return { kind: 'url', url: url.href };
  }

  /** Opens a model, then closes the one before; null when another was asked for meanwhile. */
  async choose(id: string, onProgress: (progress: LoadProgress) => void): Promise<OpenModel | null> {
    this.#wanted = id;
    const engine = await this.#open(this.#source(id), (progress) => this.#wanted === id && onProgress(progress));
    if (this.#wanted !== id) {
      await engine.close();
      return null;
    }
    this.#current = { id, name: this.name(id), engine };
    return this.#current;
  }
}
