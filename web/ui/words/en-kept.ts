// The words of the list of kept models, in English.
import type { KeptWords } from './kept';

export const enKept: KeptWords = {
  language: 'en-GB',
  title: 'Kept on this device',
  none: 'No model is kept on this device.',
  total: (models, size) => (models === 1 ? `1 model, ${size}.` : `${models.toLocaleString('en-GB')} models, ${size}.`),
  columns: { name: 'model', host: 'from', kept: 'kept', used: 'last opened' },
  part: (kept, size) => `${kept} of ${size}`,
  delete: 'Delete',
  deleteOne: (name) => `Delete ${name}`,
  deleteAll: 'Delete all',
  failed: (reason) => `It could not be deleted: ${reason}. Close other tabs of this page, then try again.`,
};
