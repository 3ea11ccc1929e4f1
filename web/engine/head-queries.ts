// Questions about what heads do. Each is a class of the engine's module, made from a session and one request, that works
// in bounded slices and has one answer: names, requests and answers are those of the module's own declarations.
import type { WasmModule, WasmSession } from './module';

interface Query<Answer> {
  advance(work: number): {
    readonly done: boolean;
    readonly blocked: boolean;
    readonly rows: number;
    readonly stage: { readonly kind: 'embed' | 'attention' | 'mlp' | 'logits'; readonly block: number };
  };
  answer(): Answer;
  delete(): void;
}

type QueryClass<Request, Answer> = new (session: WasmSession | null, request: Request) => Query<Answer>;

type Asked = {
  [Name in keyof WasmModule as WasmModule[Name] extends QueryClass<infer _Request, infer _Answer>
    ? Name
    : never]: WasmModule[Name] extends QueryClass<infer Request, infer Answer> ? [Request, Answer] : never;
};

export type QueryName = keyof Asked;
export type QueryRequest<Name extends QueryName> = Asked[Name][0];
export type QueryAnswer<Name extends QueryName> = Asked[Name][1];

/** A query of this name for a session; whoever makes it deletes it. */
export function makeQuery<Name extends QueryName>(
  module: WasmModule,
  name: Name,
  session: WasmSession,
  request: QueryRequest<Name>,
): Query<QueryAnswer<Name>> {
  const made = module[name] as unknown as QueryClass<QueryRequest<Name>, QueryAnswer<Name>>;
  return new made(session, request);
}
