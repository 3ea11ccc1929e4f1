// The words of the panel that says what of a model file is loaded, in English.
import type { Keeping } from '../../engine/api';
import type { LoadingWords } from './loading';

const count = (value: number): string => value.toLocaleString('en-GB');

function keeping(kept: Keeping): string {
  if (kept.state === 'kept') {
    return kept.checked
      ? 'It is kept on this device for the next visit.'
      : 'It is a copy kept on this device, which its server has not confirmed on this visit.';
  }
  if (kept.state === 'writing') return 'It is being kept on this device for the next visit.';
  return {
    file: '',
    insecure: 'It is not kept for the next visit: browsers keep nothing for a page over plain http.',
    denied:
      'It is not kept for the next visit: this browser denies the page a place (a private window, a sandboxed frame).',
    full: 'It is not kept any further: this browser has no more room for the page.',
    busy: 'Another tab is keeping it for the next visit.',
    unanswered: 'It is not kept for the next visit: this browser’s storage does not answer.',
    deleted: 'Its copy on this device was deleted; it is kept again when it is opened anew.',
  }[kept.reason];
}

export const enLoading: LoadingWords = {
  whole: (size) => `The whole file is loaded, ${size}.`,
  some: (present, size, fileSize) => `${present} of ${size} of weights are loaded; the file has ${fileSize}.`,
  network: (requests, received) =>
    `${received} came over the network, in ${count(requests)} ${requests === 1 ? 'request' : 'requests'}.`,
  speed: (perSecond) => `Now ${perSecond} a second.`,
  keeping,
  integrity: (verified, tensors) =>
    verified === 0
      ? 'No tensor has been compared with a known hash.'
      : `${verified === tensors ? 'All' : `${count(verified)} of`} ${count(tensors)} tensors have the SHA-256 that the model’s manifest gives.`,
  part: (part, block) =>
    ({
      embeddings: 'embeddings',
      attention: `block ${block}: attention`,
      mlp: `block ${block}: MLP`,
      output: 'final norm, output',
    })[part],
  row: (part, block) => (block === null ? enLoading.part(part, block) : `block ${block}`),
  of: (present, size) => `${present} of ${size}`,
  bars: 'A bar is as wide as its bytes are many: of each block first its attention, then its MLP.',
  tensors: (tensors) => `All ${count(tensors)} tensors`,
  columns: ['tensor', 'type', 'ggml shape', 'bytes', 'loaded', 'SHA-256'],
  verified: (verified) => (verified === null ? 'not compared' : verified ? 'as in the manifest' : 'another'),
};
