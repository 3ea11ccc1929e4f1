// What `headflow shard` says of a model file: the pieces it lies in, and SHA-256 of them, its header and its tensors.
import { EngineError } from '../errors';

export interface FilePart {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** 64 hexadecimal digits in lower case. */
  readonly sha256: string;
}

/** Its own name, size and hash are the whole file's. */
export interface Manifest extends FilePart {
  /** The bytes before the tensors' data. */
  readonly header: Omit<FilePart, 'name'>;
  /** Files in the manifest's folder; one after another they are the model file. */
  readonly pieces: readonly FilePart[];
  readonly tensors: readonly FilePart[];
}

const FORMAT = 'headflow-shards';
const VERSION = 1;

/** Whether a file is a manifest, by its name. */
export const isManifestName = (name: string): boolean => name.toLowerCase().endsWith('.json');

/** Whether an address is a manifest's, by its ending. */
export function isManifestUrl(url: string): boolean {
  return isManifestName(new URL(url).pathname);
}

/**
 * Reads a manifest. `where`: its address, for messages. Throws an EngineError with code 'malformed' or
 * 'unsupported_version' for anything that is not consistent.
 */
export function parseManifest(text: string, where: string): Manifest {
  const json = new Field(parseJson(text, where), where);
  json.at('format').is(FORMAT);
  const version = json.at('version');
  if (version.value !== VERSION) throw version.refused(`version ${VERSION}`, 'unsupported_version');
  const header = json.at('header');
  const manifest: Manifest = {
    ...partOf(json),
    header: { size: header.at('size').size(), sha256: header.at('sha256').sha256() },
    pieces: json.at('pieces').list().map(pieceOf),
    tensors: json.at('tensors').list().map(partOf),
  };
  checkSum(json.at('pieces'), sum(manifest.pieces), manifest.size, 'exactly');
  checkSum(json.at('tensors'), manifest.header.size + sum(manifest.tensors), manifest.size, 'at most');
  checkDifferent(json.at('pieces'), manifest.pieces);
  checkDifferent(json.at('tensors'), manifest.tensors);
  return manifest;
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const got = text.trimStart().startsWith('<') ? 'a web page' : 'something else';
    const message = `${where}: got ${got}, expected a manifest as headflow shard writes it. Check the address.`;
    throw new EngineError('malformed', message, { cause: error });
  }
}

/** A value of the JSON text, and the way to it. */
class Field {
  constructor(
    readonly value: unknown,
    readonly where: string,
  ) {}

  at(key: string): Field {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value)) {
      throw this.refused('an object');
    }
    return new Field((this.value as Record<string, unknown>)[key], `${this.where}, ${key}`);
  }

  list(): Field[] {
    if (!Array.isArray(this.value) || this.value.length === 0) throw this.refused('a list that is not empty');
    return this.value.map((value, i) => new Field(value, `${this.where}[${i}]`));
  }

  is(text: string): void {
    if (this.value !== text) throw this.refused(`"${text}"`);
  }

  text(pattern: RegExp, what: string): string {
    if (typeof this.value !== 'string' || !pattern.test(this.value)) throw this.refused(what);
    return this.value;
  }

  size(): number {
    const { value } = this;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
    throw this.refused('a whole number of bytes, above 0');
  }

  sha256(): string {
    return this.text(/^[0-9a-f]{64}$/, '64 hexadecimal digits');
  }

  refused(expected: string, code = 'malformed'): EngineError {
    const text = textOf(this.value);
    const got = text.length > 80 ? `${text.slice(0, 80)}…` : text;
    return new EngineError(code, `${this.where}: got ${got}, expected ${expected}. Make the manifest anew.`);
  }
}

/** A list or an object is not written out: JSON.stringify has no stack for deep ones. */
function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return JSON.stringify(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

function partOf(field: Field): FilePart {
  const name = field.at('name').text(/./su, 'a name');
  return { name, size: field.at('size').size(), sha256: field.at('sha256').sha256() };
}

/** Its name is of a file beside the manifest: no host, scheme or folder. */
function pieceOf(field: Field): FilePart {
  field.at('name').text(/^(?!\.{1,2}$)[^/\\:\p{Cc}\p{Cs}]+$/u, 'the name of a file beside the manifest');
  return partOf(field);
}

const sum = (parts: readonly FilePart[]) => parts.reduce((total, { size }) => total + size, 0);

function checkSum({ where }: Field, got: number, size: number, how: 'exactly' | 'at most'): void {
  if (how === 'exactly' ? got === size : got <= size) return;
  const expected = `expected ${how} ${size}, the file's size. Make the manifest anew.`;
  throw new EngineError('malformed', `${where}: got sizes that add up to ${got} bytes, ${expected}`);
}

function checkDifferent({ where }: Field, parts: readonly FilePart[]): void {
  const seen = new Set<string>();
  for (const { name } of parts) {
    if (seen.has(name)) {
      throw new EngineError('malformed', `${where}: got "${name}" twice, expected once. Make the manifest anew.`);
    }
    seen.add(name);
  }
}
