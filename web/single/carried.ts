// The models that the one-file page carries: data blocks of base64 in its HTML.
import type { KnownModel } from '../app/models';
import { storiesOf } from '../app/stories';

/** Takes them out of the document: their text is needed no more. */
export function carriedModels(document: Document): readonly KnownModel[] {
  const blocks = [...document.querySelectorAll<HTMLScriptElement>('script[data-model]')];
  return blocks.map((block) => {
    const { id = '', name = '', url = '', stories } = JSON.parse(block.dataset.model ?? '{}') as Partial<KnownModel>;
    const bytes = decoded(block.textContent ?? '');
    block.remove();
    return { id, name, url, stories: storiesOf(stories), size: bytes.length, file: new File([bytes], url) };
  });
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
