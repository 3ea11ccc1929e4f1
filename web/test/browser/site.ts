// The built page as `npm start` serves it, while the tests of one file run.
import { afterAll, beforeAll } from 'vitest';
import { serve } from '../../../scripts/serve.mjs';

/** Called once by a test file; `url` is there once its tests run. */
export function servedPage(): { readonly url: string } {
  let site: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    site = await serve({ port: 0 });
  });
  afterAll(() => {
    site.server.close();
  });
  return {
    get url() {
      return site.url;
    },
  };
}
