// What servers send instead of a model file.

const encode = (text) => new TextEncoder().encode(text);

export const WEB_PAGE = encode(
  '<!doctype html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n',
);

/** What a clone without Git LFS has in a large file's place. */
export const lfsPointer = (size) =>
  encode(`version https://git-lfs.github.com/spec/v1\noid sha256:${'0123456789abcdef'.repeat(4)}\nsize ${size}\n`);

export const EMPTY = new Uint8Array(0);
