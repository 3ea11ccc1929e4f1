// The models that the page knows: those of the manifest, and files that the user gave it.
import type { ModelInfo, ModelSource } from '../engine/api';
import { bytes } from '../ui/numbers';
import type { Words } from '../ui/words/words';
import { type Story, storiesOf } from './stories';

/** Milliseconds that the page waits for the list: what it does not need the list for is there all the while. */
const PATIENCE = 5000;

export interface KnownModel {
  readonly id: string;
  readonly name: string;
  /** Relative to the list that names it. */
  readonly url: string;
  /** Of the same file: its pieces and hashes, as headflow shard writes them. The model is then read by it. */
  readonly manifest?: string;
  /** What to look at in it: the address of its stories, or the stories themselves. */
  readonly stories?: string | readonly Story[];
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

function isModel(entry: unknown, list: string): entry is KnownModel {
  if (typeof entry !== 'object' || entry === null) return false;
  const { id, name, url, manifest } = entry as Record<string, unknown>;
  const address = (one: unknown): boolean => typeof one === 'string' && URL.canParse(one, list);
  const named = typeof id === 'string' && typeof name === 'string';
  return named && address(url) && (manifest === undefined || address(manifest));
}

async function readJson(url: string): Promise<unknown> {
  const signal = AbortSignal.timeout(PATIENCE);
  try {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error(`${url}: HTTP status ${response.status}`);
    return await response.json();
  } catch (error) {
    throw signal.aborted ? new Error(`${url}: no answer within ${PATIENCE / 1000} s`) : error;
  }
}

export class Models {
  readonly #manifest: string | null;
  #known: readonly KnownModel[];
  #files = new Map<string, File>();
  /** Files that could not be opened: they are no choice. */
  #failed = new Set<string>();

  /** `manifest`: its address, or the models that the page carries. */
  constructor(manifest: string | readonly KnownModel[]) {
    [this.#manifest, this.#known] = typeof manifest === 'string' ? [manifest, []] : [null, manifest];
  }

  /** Entries that are no models are left out; how many. */
  async readManifest(): Promise<number> {
    const list = this.#manifest;
    if (list === null) return 0;
    const entries = await readJson(list);
    if (!Array.isArray(entries)) throw new Error(`${list}: expected a list`);
    this.#known = entries.filter((entry) => isModel(entry, list));
    return entries.length - this.#known.length;
  }

  /** A file that the user picked or dropped, another model than any before; its id serves until the page is closed. */
  addFile(file: File): string {
    let id = `file:${file.name}`;
    for (let count = 2; this.#files.has(id); count++) id = `file:${count}/${file.name}`;
    this.#files.set(id, file);
    return id;
  }

  opened(id: string): void {
    this.#failed.delete(id);
  }

  failed(id: string): void {
    if (this.#files.has(id)) this.#failed.add(id);
  }

  /** Whether the list, or the reader, has given a model of this id, so that nothing has to be read to know where it is. */
  knows(id: string): boolean {
    return this.#files.has(id) || this.#known.some((model) => model.id === id);
  }

  choices(id: string): readonly { id: string; name: string }[] {
    const listed = this.#known.map((model) => ({ id: model.id, name: this.name(model.id) }));
    const given = [...this.#files.keys()].filter((key) => key === id || !this.#failed.has(key));
    const files = given.map((key) => ({ id: key, name: this.name(key) }));
    const all = [...listed, ...files];
    return all.some((choice) => choice.id === id) ? all : [...all, { id, name: this.name(id) }];
  }

  /** A model on another host is named with its host: the page says whom it asks. */
  name(id: string): string {
    const known = this.#known.find((model) => model.id === id);
    const host = known && this.foreignHost(id);
    if (known) return host ? `${known.name} (${host})` : known.name;
    const file = this.#files.get(id);
    const [, count] = /^file:(\d+)\//.exec(id) ?? [];
    if (file) return count ? `${file.name} (${count})` : file.name;
    if (!URL.canParse(id, document.baseURI)) return id;
    const url = new URL(id, document.baseURI);
    const path = url.pathname.split('/').at(-1) || id;
    return url.host === location.host || !url.host ? path : `${path} (${url.host})`;
  }

  /** The name of a file that the user picked before the page was loaded anew; null for anything else. */
  lostFile(id: string): string | null {
    const [, name] = /^file:(?:\d+\/)?([^/]+)$/.exec(id) ?? [];
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

  /** A model without any, or whose file of them can't be had, has none to tell. */
  async stories(id: string): Promise<readonly Story[]> {
    const stories = this.#known.find((model) => model.id === id)?.stories ?? [];
    if (typeof stories !== 'string') return stories;
    try {
      const response = await fetch(new URL(stories, this.#manifest ?? document.baseURI));
      return response.ok ? storiesOf(await response.json()) : [];
    } catch {
      return [];
    }
  }

  #carried(id: string): File | undefined {
    return this.#known.find((model) => model.id === id)?.file;
  }
}
