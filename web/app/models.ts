// The models that the page knows: those of the manifest, and files that the user gave it.
import type { ModelInfo, ModelSource } from '../engine/api';
import { bytes } from '../ui/numbers';
import type { Words } from '../ui/words/words';

export interface KnownModel {
  readonly id: string;
  readonly name: string;
  /** Relative to the list that names it. */
  readonly url: string;
  /** Of the same file: its pieces and hashes, as headflow shard writes them. The model is then read by it. */
  readonly manifest?: string;
  /** Bytes, where they are known. */
  readonly size?: number;
  /** The model itself, where the page carries it. */
  readonly file?: File;
}

/** What a model is, in a few numbers. */
export function modelFacts(info: ModelInfo | undefined, words: Words): string {
  if (!info) return '';
  const { config, fileSize } = info;
  return words.model.facts(config.blockCount, config.headCount, config.embeddingLength, bytes(fileSize));
}

const isModel = (entry: unknown): entry is KnownModel =>
  typeof entry === 'object' &&
  entry !== null &&
  ['id', 'name', 'url'].every((key) => typeof (entry as Record<string, unknown>)[key] === 'string');

export class Models {
  readonly #manifest: string | null;
  #known: readonly KnownModel[];
  #files = new Map<string, File>();

  /** `manifest`: its address, or the models that the page carries. */
  constructor(manifest: string | readonly KnownModel[]) {
    [this.#manifest, this.#known] = typeof manifest === 'string' ? [manifest, []] : [null, manifest];
  }

  async readManifest(): Promise<void> {
    if (this.#manifest === null) return;
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
    const listed = this.#known.map((model) => ({ id: model.id, name: this.name(model.id) }));
    const files = [...this.#files].map(([key, file]) => ({ id: key, name: file.name }));
    const all = [...listed, ...files];
    return all.some((choice) => choice.id === id) ? all : [...all, { id, name: this.name(id) }];
  }

  /** A model on another host is named with its host: the page says whom it asks. */
  name(id: string): string {
    const known = this.#known.find((model) => model.id === id);
    const host = known && this.foreignHost(id);
    if (known) return host ? `${known.name} (${host})` : known.name;
    const file = this.#files.get(id);
    if (file) return file.name;
    if (!URL.canParse(id, document.baseURI)) return id;
    const url = new URL(id, document.baseURI);
    const path = url.pathname.split('/').at(-1) || id;
    return url.host === location.host || !url.host ? path : `${path} (${url.host})`;
  }

  /** The name of a file that the user picked before the page was loaded anew; null for anything else. */
  lostFile(id: string): string | null {
    const [, name] = /^file:([^/]+)$/.exec(id) ?? [];
    return name && !this.#files.has(id) ? name : null;
  }

  /** Whether the page may ask for it at all: files that were picked, and addresses of web servers. */
  accepts(id: string): boolean {
    if (this.#carried(id)) return true;
    const source = this.#files.has(id) || (URL.canParse(id, document.baseURI) && new URL(id, document.baseURI));
    return typeof source === 'boolean' ? source : /^https?:$/.test(source.protocol);
  }

  /** The host, where it is not the page's own. */
  foreignHost(id: string): string | null {
    const source = this.source(id);
    if (source.kind !== 'url') return null;
    const url = new URL(source.url);
    return url.origin === location.origin ? null : url.host;
  }

  /** A file that the user gave: reading it is no transfer. */
  isFile(id: string): boolean {
    return this.source(id).kind === 'file';
  }

  /** An id that the manifest does not have is a URL. */
  source(id: string, wholeEmbeddings = false): ModelSource {
    const file = this.#files.get(id) ?? this.#carried(id);
    if (file) return { kind: 'file', file };
    const known = this.#known.find((model) => model.id === id);
    const address = known?.manifest ?? known?.url;
    const url = new URL(address ?? id, address === undefined ? document.baseURI : (this.#manifest ?? document.baseURI));
    return { kind: 'url', url: url.href, wholeEmbeddings };
  }

  #carried(id: string): File | undefined {
    return this.#known.find((model) => model.id === id)?.file;
  }
}
